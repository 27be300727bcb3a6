import { type ChangeDecision, checkTaskId, GivewayError, type TaskId, type TaskRecord, toIso } from "@giveway/kernel";
import type { EngineParts } from "../parts.ts";
import { MAX_TRIES } from "../submit/duplicates.ts";

/** A change that was written, or found to change nothing (`decision` null). */
export interface Changed {
  readonly before: TaskRecord;
  readonly task: TaskRecord;
  readonly decision: ChangeDecision | null;
  readonly at: number;
}

type Decide = (task: TaskRecord, now: number) => ChangeDecision | null | Promise<ChangeDecision | null>;

/**
 * # Changing a task without a lock
 *
 * Read the row, let the kernel decide, write under the version it was decided on. Where somebody was quicker the ledger refuses and answers
 * what stands now, and the decision is made anew on that: so a cancel that lost against the task's own end answers `wrong_state`, never a
 * state that does not hold (V-11). Bounded; whoever loses ten times in a row is told `changed_meanwhile`.
 */
export async function changeTask(parts: EngineParts, id: string, decide: Decide): Promise<Changed> {
  let before = await readTask(parts, id);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const at = parts.clock.now();
    const decision = await decide(before, at);
    if (decision === null) return { before, task: before, decision, at };
    const [outcome] = await parts.store.change([{ ...decision, id: before.id, version: before.version }], at);
    if (outcome?.kind === "applied") return { before, task: outcome.task, decision, at };
    if (outcome === undefined || outcome.task === null) throw notFound(before.id);
    before = outcome.task;
  }
  throw changedMeanwhile(before.id);
}

/** The task's row. Throws `task_not_found`, which says so where the task had succeeded and only its id is remembered. */
export async function readTask(parts: Pick<EngineParts, "store">, value: string): Promise<TaskRecord> {
  const id = checkTaskId(value);
  const [task] = await parts.store.get([id]);
  if (task !== null && task !== undefined) return task;
  const [known] = await parts.store.remembered([id]);
  throw notFound(id, known?.endedAt);
}

export function notFound(id: TaskId, succeededAt?: number): GivewayError {
  const message =
    succeededAt === undefined
      ? `there is no task ${id}`
      : `task ${id} succeeded at ${toIso(succeededAt)} and its row is gone; only its id is remembered`;
  return new GivewayError("task_not_found", message, { subject: id });
}

export function changedMeanwhile(id: TaskId): GivewayError {
  return new GivewayError("changed_meanwhile", `task ${id} changed at every try; repeat the call`, { subject: id });
}
