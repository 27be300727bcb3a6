import type { ChangeDecision, TaskPatch } from "../change.ts";
import { laneUnder, type Policy } from "../priority/policy.ts";
import type { ChangeRecord, JsonText, TaskRecord } from "../task.ts";
import { moveOf, type TaskEvent } from "../task-state.ts";
import type { Weight } from "../weight.ts";
import { type ChangeActor, recordOf, wrongState } from "./actor.ts";

/** What may be changed; absent fields stay. */
export interface EditInput {
  readonly weight?: Weight;
  readonly payload?: JsonText;
  readonly name?: string | null;
  /** ms since 1970; now or before: ready at once. */
  readonly dueAt?: number;
}

/** How a change was brought about, where the rules ask for it. */
export interface EditContext {
  /** Of the task's queue: whether a lane border lies between two weights. */
  readonly policy: Policy;
  /** By a rule, not by a person or the API: never takes a task out of express (B6). */
  readonly automatic?: boolean;
}

type Field = keyof EditInput;

/** Which move of the table each field is. */
const EVENTS: Readonly<Record<Field, TaskEvent>> = {
  weight: "reweight",
  payload: "edit",
  name: "edit",
  dueAt: "reschedule",
};

/** A change of weight alone, see `decideEdit`. */
export function decideReweight(
  task: TaskRecord,
  weight: Weight,
  context: EditContext,
  now: number,
  actor: ChangeActor,
): ChangeDecision | null {
  return decideEdit(task, { weight }, context, now, actor);
}

/**
 * Changes a task by hand or by a rule, in one write (section 5, C17). What a state allows is in the table: everything while it waits, the
 * weight while it runs, payload and name when it is dead. Null: nothing would differ. Throws `wrong_state` naming the field.
 *
 * Place: kept within a lane and when leaving express by an outside decision; entering express is a new arrival, and so is becoming ready
 * by a new due time.
 */
export function decideEdit(
  task: TaskRecord,
  input: EditInput,
  context: EditContext,
  now: number,
  actor: ChangeActor,
): ChangeDecision | null {
  const fields = (Object.keys(EVENTS) as Field[]).filter((field) => input[field] !== undefined);
  for (const field of fields) {
    if (moveOf(task.state, EVENTS[field]) === null) throw wrongState(task, "changed", ` in its ${labelOf(field)}`);
  }
  const changed = fields.filter((field) => input[field] !== task[field] && !isRefusedRule(task, input, field, context));
  if (changed.length === 0) return null;
  const patch: Record<string, unknown> = {};
  for (const field of changed) patch[field] = input[field];
  if (task.state === "waiting") patch["place"] = placeOf(task, input, changed, context.policy, now);
  return {
    patch: patch as TaskPatch,
    record: recordOf(kindOf(changed), actor, now, snapshot(task, changed), snapshot(input, changed)),
    archive: false,
    signal: task.state === "running" ? "reweighted" : null,
  };
}

function isRefusedRule(task: TaskRecord, input: EditInput, field: Field, context: EditContext): boolean {
  if (field !== "weight" || context.automatic !== true || input.weight === undefined) return false;
  const { policy } = context;
  return laneUnder(policy, task.weight) === "express" && laneUnder(policy, input.weight) === "standard";
}

function placeOf(
  task: TaskRecord,
  input: EditInput,
  changed: readonly Field[],
  policy: Policy,
  now: number,
): "keep" | "anew" {
  const entersExpress =
    changed.includes("weight") &&
    input.weight !== undefined &&
    laneUnder(policy, task.weight) === "standard" &&
    laneUnder(policy, input.weight) === "express";
  if (entersExpress) return "anew";
  const rescheduled = changed.includes("dueAt") && input.dueAt !== undefined;
  return rescheduled && (task.seq === null || input.dueAt > now) ? "anew" : "keep";
}

function kindOf(changed: readonly Field[]): ChangeRecord["kind"] {
  if (changed.length > 1) return "edited";
  if (changed[0] === "weight") return "reweighted";
  return changed[0] === "dueAt" ? "rescheduled" : "edited";
}

/** The changed fields as they were or are, for the history. Payloads are parsed in, so that they show as values. */
function snapshot(from: TaskRecord | EditInput, changed: readonly Field[]): JsonText {
  const parts = changed.map((field) => {
    const text = field === "payload" ? (from.payload ?? "null") : JSON.stringify(from[field] ?? null);
    return `${JSON.stringify(field)}:${text}`;
  });
  return `{${parts.join(",")}}`;
}

function labelOf(field: Field): string {
  return field === "dueAt" ? "due time" : field;
}
