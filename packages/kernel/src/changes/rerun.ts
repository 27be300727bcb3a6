import type { ChangeDecision } from "../change.ts";
import type { JsonText, TaskOverrides, TaskRecord } from "../task.ts";
import { type ChangeActor, recordOf, targetOf } from "./actor.ts";

export interface RerunInput {
  /** Replaces the payload; absent keeps it. */
  readonly payload?: JsonText;
  /** ms since 1970; now or before: ready at once. */
  readonly dueAt: number;
  /** How the history names it. Default `rerun`. */
  readonly kind?: "rerun" | "redriven";
}

/**
 * Continues a dead or cancelled task (C17): same id, same `requestId`, its history kept and its attempt number going on; all retries are
 * granted anew, and earlier losses forgiven. An `expires` that the new due time passes is dropped, since the person who runs it again wants
 * it to run. Throws `wrong_state` for others: a succeeded one is submitted anew instead, with `rerunOf`.
 */
export function decideRerun(task: TaskRecord, input: RerunInput, now: number, actor: ChangeActor): ChangeDecision {
  const state = targetOf(task, "rerun", "run again");
  const { payload } = input;
  const overrides = withoutPastExpiry(task.overrides, Math.max(now, input.dueAt));
  return {
    patch: {
      state,
      dueAt: input.dueAt,
      place: "anew",
      failures: 0,
      losses: 0,
      endedAt: null,
      endReason: null,
      ...(payload === undefined ? {} : { payload }),
      ...(overrides === task.overrides ? {} : { overrides }),
    },
    record: recordOf(
      input.kind ?? "rerun",
      actor,
      now,
      JSON.stringify({ state: task.state, reason: task.endReason }),
      JSON.stringify({ state, payload: payload === undefined ? "kept" : "replaced" }),
    ),
    // Set exactly while the row holds an attempt that the history does not have.
    archive: task.startedAt !== null,
    signal: null,
  };
}

function withoutPastExpiry(overrides: TaskOverrides, startAt: number): TaskOverrides {
  if (overrides.expires === undefined || overrides.expires > startAt) return overrides;
  const { expires: _passed, ...rest } = overrides;
  return rest;
}
