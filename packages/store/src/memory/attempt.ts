import type { AttemptRecord, Settlement, TaskRecord } from "@giveway/kernel";

/** The attempt a row holds itself, or null where the history has them all. See the contract: "attempts read from the row". */
export function attemptInRow(task: TaskRecord): AttemptRecord | null {
  if (task.startedAt === null) return null;
  const ended = task.state !== "running";
  const failed = task.lastOutcome === "failed" || task.lastOutcome === "timed_out" || task.lastOutcome === "lost";
  return {
    attempt: task.attempt,
    outcome: ended ? task.lastOutcome : null,
    node: task.node,
    startedAt: task.startedAt,
    endedAt: ended ? task.endedAt : null,
    error: ended && failed ? task.lastError : null,
    log: ended ? task.log : [],
  };
}

/** What a settlement leaves in the history of a task; null where no attempt had begun. */
export function attemptOf(task: TaskRecord, settlement: Settlement): AttemptRecord | null {
  if (settlement.outcome === null) return null;
  return {
    attempt: settlement.attempt,
    outcome: settlement.outcome,
    node: task.node,
    startedAt: settlement.startedAt,
    endedAt: settlement.endedAt,
    error: copyJson(settlement.error),
    log: copyJson(settlement.log),
  };
}

/** A value of its own, as a ledger on disk would give it back: the caller may change his afterwards. */
export function copyJson<Value>(value: Value): Value {
  if (value === null || typeof value !== "object") return value;
  return JSON.parse(JSON.stringify(value)) as Value;
}
