import type { ChangeDecision } from "../change.ts";
import type { QueueName } from "../ids.ts";
import type { JsonText, TaskOverrides, TaskRecord } from "../task.ts";
import type { Weight } from "../weight.ts";
import { type ChangeActor, recordOf, targetOf, wrongState } from "./actor.ts";

/** What a submit with `onDuplicate: "replace"` puts in the place of the waiting task. */
export interface Replacement {
  readonly queue: QueueName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly payload: JsonText;
  readonly overrides: TaskOverrides;
  readonly requestId: string;
  /** ms since 1970 */
  readonly dueAt: number;
}

/**
 * Puts a new submit in the place of a task that was never started: same id, everything else new, ready anew. Throws `wrong_state` where the
 * task runs, has ended, was started before (its effects may stand), or lies in another queue.
 */
export function decideReplace(task: TaskRecord, by: Replacement, now: number, actor: ChangeActor): ChangeDecision {
  const state = targetOf(task, "replace", "replaced");
  if (task.attempt > 0) throw wrongState(task, "replaced", `: it was started before (attempt ${task.attempt})`);
  if (task.queue !== by.queue) throw wrongState(task, "replaced", `: it lies in queue ${task.queue}, not ${by.queue}`);
  return {
    patch: {
      state,
      weight: by.weight,
      payload: by.payload,
      name: by.name,
      overrides: by.overrides,
      dueAt: by.dueAt,
      place: "anew",
      requestId: by.requestId,
    },
    record: recordOf(
      "replaced",
      actor,
      now,
      JSON.stringify({ weight: task.weight, dueAt: task.dueAt, requestId: task.requestId }),
      JSON.stringify({ weight: by.weight, dueAt: by.dueAt, requestId: by.requestId }),
    ),
    archive: false,
    signal: null,
  };
}
