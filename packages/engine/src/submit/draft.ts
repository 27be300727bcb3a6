import {
  type Fence,
  fence,
  type NodeId,
  type QueueName,
  type TaskId,
  type TaskKey,
  type TaskRecord,
  type TypeName,
  taskKey,
  type Weight,
} from "@giveway/kernel";
import type { ClaimedTask, InsertOutcome, NewTask, RememberedId } from "@giveway/store";
import type { TaskFacts } from "../ports.ts";

export type OnDuplicate = "return" | "reject" | "replace";
export const ON_DUPLICATE: readonly OnDuplicate[] = ["return", "reject", "replace"];

/** A submit that passed every check and only has to be written. */
export interface Draft {
  readonly task: Omit<NewTask, "handOff">;
  readonly onDuplicate: OnDuplicate;
}

type Created = Extract<InsertOutcome, { kind: "created" }>;
const FIRST_FENCE: Fence = fence(1);

/**
 * The row that an insert made, put together from what was sent and answered: no second read. Field by field, since a spread of so many costs
 * more than all the rest of a submit.
 */
export function bornRecord(task: Draft["task"], born: Created, now: number, node: NodeId): TaskRecord {
  const running = born.handedOff;
  return {
    id: task.id,
    type: task.type,
    queue: task.queue,
    name: task.name,
    weight: task.weight,
    payload: task.payload,
    overrides: task.overrides,
    requestId: task.requestId,
    rerunOf: task.rerunOf,
    dueAt: task.dueAt,
    key: born.key,
    state: running ? "running" : "waiting",
    createdAt: now,
    updatedAt: now,
    seq: born.seq,
    since: born.since,
    fence: running ? FIRST_FENCE : fence(0),
    version: 1,
    attempt: running ? 1 : 0,
    failures: 0,
    losses: 0,
    noPrefetch: false,
    node: running ? node : null,
    claimedAt: running ? now : null,
    startedAt: running ? now : null,
    endedAt: null,
    lastOutcome: null,
    lastError: null,
    endReason: null,
    result: null,
    progress: null,
    checkpoint: null,
    log: [],
  };
}

/** A task born claimed and started by this node, as a claim would have answered it. */
export function handedOff(task: Draft["task"], born: Created, now: number): ClaimedTask | null {
  if (!born.handedOff || born.seq === null || born.since === null) return null;
  return {
    key: born.key,
    id: task.id,
    type: task.type,
    queue: task.queue,
    name: task.name,
    weight: task.weight,
    payload: task.payload,
    overrides: task.overrides,
    requestId: task.requestId,
    createdAt: now,
    dueAt: task.dueAt,
    seq: born.seq,
    since: born.since,
    fence: FIRST_FENCE,
    attempt: 1,
    started: true,
    failures: 0,
    losses: 0,
    noPrefetch: false,
    checkpoint: null,
  };
}

/**
 * What is still known of a succeeded task whose row is gone: its id, its type and when it ended. The payload is the submit's own, since
 * it was found equal; the rest is filled with what this submit would have had.
 */
export function prunedRecord(task: Draft["task"], known: RememberedId): TaskRecord {
  const ended: Created = { kind: "created", key: taskKey(0), seq: null, since: null, handedOff: false };
  return {
    ...bornRecord(task, ended, known.endedAt, "" as NodeId),
    state: "succeeded",
    dueAt: known.endedAt,
    endedAt: known.endedAt,
    lastOutcome: "succeeded",
    endReason: "succeeded",
  };
}

export function factsOf(task: {
  readonly key: TaskKey;
  readonly id: TaskId;
  readonly type: TypeName;
  readonly queue: QueueName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly attempt: number;
}): TaskFacts {
  const { key, id, type, queue, name, weight, attempt } = task;
  return { key, id, type, queue, name, weight, attempt };
}
