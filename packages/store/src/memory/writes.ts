import type { TaskRecord } from "@giveway/kernel";
import type {
  ChangeOp,
  ChangeOutcome,
  InsertOutcome,
  NewTask,
  ProgressMark,
  PruneRequest,
  RememberedId,
  RemoveOp,
  RemoveOutcome,
  SettleOp,
  SettleOutcome,
  StartMark,
} from "../task-store.ts";
import { attemptInRow, attemptOf, copyJson } from "./attempt.ts";
import type { LedgerState } from "./ledger-state.ts";
import { changedRow, claimedRow, isHeldUnder, newRow, settledRow, startedRow } from "./rows.ts";

export function insertOne(state: LedgerState, task: NewTask, now: number): InsertOutcome {
  const known = state.byId(task.id);
  if (known !== null) return { kind: "exists", task: known };
  const remembered = state.remembered(task.id);
  if (remembered !== null) return { kind: "remembered", remembered };
  const row = state.put(newRow(state, task, now));
  const { key, seq, since } = row;
  const handedOff = task.handOff !== null && seq !== null && state.nodes.isAlive(task.handOff.node);
  if (handedOff && task.handOff !== null) state.put(claimedRow(row, task.handOff.node, now, true));
  return { kind: "created", key, seq, since, handedOff };
}

export function startOne(state: LedgerState, { key, fence, attempt, startedAt }: StartMark): boolean {
  const task = state.get(key);
  if (!isHeldUnder(task, fence)) return false;
  if (task.startedAt !== null) return true;
  state.put({ ...startedRow(task, attempt, startedAt), version: task.version + 1, updatedAt: startedAt });
  return true;
}

export function keepProgress(state: LedgerState, { key, fence, progress }: ProgressMark): void {
  const task = state.get(key);
  if (isHeldUnder(task, fence)) state.put({ ...task, progress });
}

export function settleOne(state: LedgerState, { key, fence, settlement }: SettleOp, now: number): SettleOutcome {
  const task = state.get(key);
  if (!isHeldUnder(task, fence)) return { kind: "refused", state: state.get(key)?.state ?? null };
  const settled = state.put(settledRow(state, task, settlement, now));
  const inRow = settlement.state !== "waiting" && settlement.startedAt !== null;
  const attempt = inRow ? null : attemptOf(task, settlement);
  if (attempt !== null) state.archive(key, attempt);
  return { kind: "applied", seq: settled.seq };
}

export function changeOne(state: LedgerState, op: ChangeOp, now: number): ChangeOutcome {
  const task = state.byId(op.id);
  if (task === null || task.version !== op.version) return { kind: "refused", task };
  const attempt = op.archive ? attemptInRow(task) : null;
  if (attempt !== null) state.archive(task.key, attempt);
  if (op.record !== null) state.record(task.key, copyJson(op.record));
  if (op.signal !== null && task.state === "running" && task.node !== null) {
    state.nodes.leave(task.node, { kind: op.signal, id: task.id });
  }
  return { kind: "applied", task: state.put(changedRow(state, task, op, now)) };
}

export function removeOne(state: LedgerState, { id, version }: RemoveOp): RemoveOutcome {
  const task = state.byId(id);
  if (task === null || task.version !== version || task.state === "running") return { kind: "refused", task };
  state.delete(task, true);
  return { kind: "removed" };
}

/** What ended first goes first. A row whose id would be past remembering leaves none. */
export function prune(
  state: LedgerState,
  { now, keep, remember, limit }: PruneRequest,
): { readonly pruned: number; readonly forgotten: number; readonly more: boolean } {
  const oldRow = (): TaskRecord | null => {
    const task = state.oldestPrunable();
    return task !== null && (task.endedAt ?? 0) + keep <= now ? task : null;
  };
  const fadedId = (): RememberedId | null => {
    const memory = state.oldestMemory();
    return memory !== null && memory.endedAt + remember <= now ? memory : null;
  };
  let pruned = 0;
  for (let task = oldRow(); task !== null && pruned < limit; task = oldRow()) {
    state.delete(task, (task.endedAt ?? 0) + remember > now);
    pruned += 1;
  }
  let forgotten = 0;
  for (let memory = fadedId(); memory !== null && pruned + forgotten < limit; memory = fadedId()) {
    state.forget(memory.id);
    forgotten += 1;
  }
  return { pruned, forgotten, more: oldRow() !== null || fadedId() !== null };
}
