import { fence, nodeId, queueName, seq, type TaskRecord, taskId, taskKey, typeName } from "@giveway/kernel";

/** The instant at which the tests' tasks were submitted. */
export const START = 1_772_355_600_000;

/** A ready task as a ledger holds it after its submit, with what a case changes. */
export function taskWith(changes: Partial<TaskRecord> = {}): TaskRecord {
  return {
    key: taskKey(1),
    id: taskId("close-10086"),
    type: typeName("close_order"),
    queue: queueName("orders"),
    name: null,
    state: "waiting",
    weight: 5,
    payload: '{"orderId":10086}',
    overrides: {},
    requestId: "request-1",
    rerunOf: null,
    createdAt: START,
    updatedAt: START,
    dueAt: START,
    seq: seq(1),
    since: START,
    fence: fence(0),
    version: 1,
    attempt: 0,
    failures: 0,
    losses: 0,
    noPrefetch: false,
    node: null,
    claimedAt: null,
    startedAt: null,
    endedAt: null,
    lastOutcome: null,
    lastError: null,
    endReason: null,
    result: null,
    progress: null,
    checkpoint: null,
    log: [],
    ...changes,
  };
}

/** The same task in its first attempt on node `n1`. */
export function runningTask(changes: Partial<TaskRecord> = {}): TaskRecord {
  return taskWith({
    state: "running",
    attempt: 1,
    fence: fence(1),
    version: 2,
    node: nodeId("n1"),
    claimedAt: START + 10,
    startedAt: START + 10,
    ...changes,
  });
}

/** The same task after an end. */
export function endedTask(state: "succeeded" | "dead" | "cancelled", changes: Partial<TaskRecord> = {}): TaskRecord {
  return runningTask({
    state,
    seq: null,
    since: null,
    endedAt: START + 500,
    endReason: state === "succeeded" ? "succeeded" : state === "dead" ? "retries_exhausted" : "by_hand",
    lastOutcome: state === "succeeded" ? "succeeded" : state === "dead" ? "failed" : "cancelled",
    ...changes,
  });
}
