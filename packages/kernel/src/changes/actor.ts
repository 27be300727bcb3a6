import { GivewayError } from "../errors.ts";
import type { ChangeRecord, JsonText, TaskRecord } from "../task.ts";
import { moveOf, type StoredState, type TaskEvent } from "../task-state.ts";

/** Who changes a task, and why: kept in its history. */
export interface ChangeActor {
  /** A person's or program's name as the face gave it, or `system`. */
  readonly by: string;
  readonly cause: string | null;
}

export const SYSTEM: ChangeActor = { by: "system", cause: null };

/** The state an event leads to; where the table has none, `wrong_state` naming task, state and event. */
export function targetOf(task: Pick<TaskRecord, "id" | "state">, event: TaskEvent, verb: string): StoredState {
  const move = moveOf(task.state, event);
  if (move === null || move === "removed") throw wrongState(task, verb);
  return move;
}

export function wrongState(task: Pick<TaskRecord, "id" | "state">, verb: string, why = ""): GivewayError {
  return new GivewayError("wrong_state", `task ${task.id} is ${task.state} and can't be ${verb}${why}`, {
    subject: task.id,
  });
}

/** A history entry; `before` and `after` are small plain values. */
export function recordOf(
  kind: ChangeRecord["kind"],
  actor: ChangeActor,
  now: number,
  before: JsonText | null,
  after: JsonText | null,
): ChangeRecord {
  return { at: now, by: actor.by, kind, before, after, cause: actor.cause };
}
