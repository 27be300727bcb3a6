import type { ClaimRequest, NewTask, ProgressMark, SettleOp, StartMark } from "@giveway/store";
import { outcomeCode, reasonCode, stateCode } from "../codes.ts";
import type { Cell } from "../driver/driver.ts";
import { errorText, logText, overridesText } from "../queries/record.ts";
import type { ClaimArgs, InsertArgs, SettleArgs } from "./calls.ts";

/** The contract's objects as flat cells: see `calls.ts` for the columns. */
export function encodeInsert(batch: readonly NewTask[], from: number, to: number, now: number): InsertArgs {
  const streams: string[] = [];
  const indexes = new Map<string, Map<string, number>>();
  const cells: Cell[] = [];
  for (let at = from; at < to; at += 1) {
    const task = batch[at] as NewTask;
    cells.push(
      streamIndex(streams, indexes, task.queue, task.type),
      task.id,
      task.name,
      task.weight,
      task.payload,
      overridesText(task.overrides),
      task.requestId,
      task.rerunOf,
      task.dueAt,
      task.handOff === null ? null : task.handOff.node,
      task.handOff === null ? null : task.handOff.claimNo,
    );
  }
  return { now, streams, cells };
}

function streamIndex(
  streams: string[],
  indexes: Map<string, Map<string, number>>,
  queue: string,
  type: string,
): number {
  let types = indexes.get(queue);
  if (types === undefined) {
    types = new Map();
    indexes.set(queue, types);
  }
  let index = types.get(type);
  if (index === undefined) {
    index = streams.length / 2;
    streams.push(queue, type);
    types.set(type, index);
  }
  return index;
}

export function encodeClaim(request: ClaimRequest): ClaimArgs {
  const { queue, node, claimNo, now, lanes } = request;
  const types: Cell[] = [];
  for (const { type, room, direct, bound } of request.types) types.push(type, room, direct ?? null, bound);
  return { queue, node, claimNo, now, types, lanes };
}

export function encodeSettle(batch: readonly SettleOp[], now: number): SettleArgs {
  const cells: Cell[] = [];
  const counts: number[] = [];
  const keys: number[] = [];
  let before: SettleOp | null = null;
  for (const op of batch) {
    keys.push(op.key);
    if (before !== null && areAlike(before, op)) counts[counts.length - 1] = (counts[counts.length - 1] ?? 0) + 1;
    else {
      pushSettlement(cells, op);
      counts.push(1);
    }
    before = op;
  }
  return { now, cells, counts, keys };
}

function pushSettlement(cells: Cell[], { fence, settlement }: SettleOp): void {
  cells.push(
    fence,
    stateCode(settlement.state),
    outcomeCode(settlement.outcome),
    settlement.attempt,
    settlement.failures,
    settlement.losses,
    settlement.noPrefetch ? 1 : 0,
    settlement.dueAt,
    settlement.place === "keep" ? 1 : 0,
    settlement.startedAt,
    settlement.endedAt,
    errorText(settlement.error),
    reasonCode(settlement.endReason),
    settlement.result,
    settlement.checkpoint,
    logText(settlement.log),
  );
}

/** Whether two settlements differ in nothing that is written but their keys. What ended has no due time and no place. */
function areAlike({ fence, settlement: a }: SettleOp, { fence: otherFence, settlement: b }: SettleOp): boolean {
  return (
    fence === otherFence &&
    a.state === b.state &&
    a.outcome === b.outcome &&
    a.startedAt === b.startedAt &&
    a.endedAt === b.endedAt &&
    a.result === b.result &&
    a.attempt === b.attempt &&
    a.failures === b.failures &&
    a.losses === b.losses &&
    a.noPrefetch === b.noPrefetch &&
    a.error === b.error &&
    a.endReason === b.endReason &&
    a.checkpoint === b.checkpoint &&
    (a.log === b.log || (a.log.length === 0 && b.log.length === 0)) &&
    (a.state !== "waiting" || (a.dueAt === b.dueAt && a.place === b.place))
  );
}

export function encodeStarts(batch: readonly StartMark[]): { readonly cells: readonly Cell[] } {
  const cells: Cell[] = [];
  for (const { key, fence, attempt, startedAt } of batch) cells.push(key, fence, attempt, startedAt);
  return { cells };
}

export function encodeProgress(batch: readonly ProgressMark[]): { readonly cells: readonly Cell[] } {
  const cells: Cell[] = [];
  for (const { key, fence, progress } of batch) cells.push(key, fence, progress);
  return { cells };
}
