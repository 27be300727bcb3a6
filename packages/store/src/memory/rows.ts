import type { ChangeDecision, Fence, NodeId, Seq, Settlement, TaskRecord } from "@giveway/kernel";
import { fence } from "@giveway/kernel";
import type { ClaimedTask, NewTask } from "../task-store.ts";
import { copyJson } from "./attempt.ts";
import type { LedgerState } from "./ledger-state.ts";

interface Place {
  readonly seq: Seq | null;
  readonly since: number | null;
}

const NOWHERE: Place = { seq: null, since: null };

/** The row that a submit makes, ready or delayed. */
export function newRow(state: LedgerState, task: NewTask, now: number): TaskRecord {
  const place = task.dueAt <= now ? placeAnew(state, now) : NOWHERE;
  return {
    key: state.nextKey(),
    id: task.id,
    type: task.type,
    queue: task.queue,
    name: task.name,
    state: "waiting",
    weight: task.weight,
    payload: task.payload,
    overrides: copyJson(task.overrides),
    requestId: task.requestId,
    rerunOf: task.rerunOf,
    createdAt: now,
    updatedAt: now,
    dueAt: task.dueAt,
    seq: place.seq,
    since: place.since,
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
  };
}

export function placeAnew(state: LedgerState, now: number): Place {
  return { seq: state.nextSeq(), since: now };
}

/** A ready row as claimed by a node: a higher fence, and with `starts` one more attempt. */
export function claimedRow(task: TaskRecord, node: NodeId, now: number, starts: boolean): TaskRecord {
  const claimed: TaskRecord = {
    ...task,
    state: "running",
    fence: fence(task.fence + 1),
    version: task.version + 1,
    updatedAt: now,
    node,
    claimedAt: now,
  };
  return starts ? startedRow(claimed, task.attempt + 1, now) : claimed;
}

export function startedRow(task: TaskRecord, attempt: number, startedAt: number): TaskRecord {
  return { ...task, attempt, startedAt, log: [], progress: null };
}

/** What a claim hands to the node. */
export function claimedTask(task: TaskRecord & Place): ClaimedTask {
  const { key, id, type, queue, name, weight, payload, requestId, createdAt, dueAt, attempt, failures, losses } = task;
  return {
    key,
    id,
    type,
    queue,
    name,
    weight,
    payload,
    overrides: copyJson(task.overrides),
    requestId,
    createdAt,
    dueAt,
    seq: task.seq as Seq,
    since: task.since as number,
    fence: task.fence,
    attempt,
    started: task.startedAt !== null,
    failures,
    losses,
    noPrefetch: task.noPrefetch,
    checkpoint: task.checkpoint,
  };
}

export function isHeldUnder(task: TaskRecord | null, held: Fence): task is TaskRecord {
  return task !== null && task.state === "running" && task.fence === held;
}

/** The row after a settlement: back to waiting without its node, or ended with it. */
export function settledRow(state: LedgerState, task: TaskRecord, settlement: Settlement, now: number): TaskRecord {
  const { outcome, attempt, failures, losses, noPrefetch, result, checkpoint } = settlement;
  const settled: TaskRecord = {
    ...task,
    state: settlement.state,
    version: task.version + 1,
    updatedAt: now,
    attempt,
    failures,
    losses,
    noPrefetch,
    result,
    checkpoint,
    ...(outcome === null
      ? {}
      : { lastOutcome: outcome, lastError: copyJson(settlement.error), log: copyJson(settlement.log) }),
  };
  if (settlement.state !== "waiting") {
    const { endedAt, endReason, startedAt } = settlement;
    return { ...settled, ...NOWHERE, startedAt, endedAt, endReason };
  }
  const { dueAt, place } = settlement;
  const ready = dueAt <= now;
  return {
    ...settled,
    ...(ready ? (place === "keep" && task.seq !== null ? {} : placeAnew(state, now)) : NOWHERE),
    dueAt,
    node: null,
    claimedAt: null,
    startedAt: null,
  };
}

/** The row after a decided change; see `ChangeOp` for where a waiting task stands afterwards. */
export function changedRow(state: LedgerState, task: TaskRecord, change: ChangeDecision, now: number): TaskRecord {
  const { place, ...patch } = change.patch;
  const target = patch.state ?? task.state;
  const leavesAttempt = change.archive || (target === "waiting" && task.state !== "waiting");
  const changed: TaskRecord = {
    ...task,
    ...copyJson(patch),
    version: task.version + 1,
    updatedAt: now,
    ...(leavesAttempt ? { node: null, claimedAt: null, startedAt: null, log: [], progress: null } : {}),
  };
  if (target === "running") return changed;
  if (target !== "waiting") return { ...changed, ...NOWHERE };
  return { ...changed, ...placeAfter(state, task, change, now) };
}

function placeAfter(state: LedgerState, task: TaskRecord, { patch }: ChangeDecision, now: number): Place {
  const wasReady = task.state === "waiting" && task.seq !== null;
  const goesByDueTime = patch.dueAt !== undefined || task.state !== "waiting";
  const ready = goesByDueTime ? (patch.dueAt ?? task.dueAt) <= now : wasReady;
  if (!ready) return NOWHERE;
  return wasReady && patch.place !== "anew" ? { seq: task.seq, since: task.since } : placeAnew(state, now);
}
