import type { AttemptRecord, ChangeDecision, TaskRecord } from "@giveway/kernel";
import { seq } from "@giveway/kernel";

/** The attempt that the row itself holds, or null: see "attempt in the row" of the contract. */
export function attemptInRow(task: TaskRecord): AttemptRecord | null {
  if (task.startedAt === null) return null;
  const { attempt, node, startedAt } = task;
  if (task.state === "running") {
    return { attempt, outcome: null, node, startedAt, endedAt: null, error: null, log: [] };
  }
  const failed = task.lastOutcome === "failed" || task.lastOutcome === "timed_out" || task.lastOutcome === "lost";
  const { lastOutcome: outcome, endedAt, log } = task;
  return { attempt, outcome, node, startedAt, endedAt, error: failed ? task.lastError : null, log };
}

/** The row after a decided change, as the contract words it. `nextSeq` is asked only where the task arrives anew. */
export function applyChange(
  task: TaskRecord,
  { patch, archive }: ChangeDecision,
  now: number,
  nextSeq: () => number,
): TaskRecord {
  const { place, ...fields } = patch;
  const after: TaskRecord = { ...task, ...fields, version: task.version + 1, updatedAt: now };
  const returns = after.state === "waiting" && task.state !== "waiting";
  const cleared: TaskRecord =
    archive || returns ? { ...after, node: null, claimedAt: null, startedAt: null, log: [], progress: null } : after;
  if (cleared.state === "running") return cleared;
  if (cleared.state !== "waiting") return { ...cleared, seq: null, since: null };
  const stays = task.state === "waiting" && patch.dueAt === undefined;
  const ready = stays ? task.seq !== null : cleared.dueAt <= now;
  if (!ready) return { ...cleared, seq: null, since: null };
  if (task.seq !== null && place !== "anew") return cleared;
  return { ...cleared, seq: seq(nextSeq()), since: now };
}
