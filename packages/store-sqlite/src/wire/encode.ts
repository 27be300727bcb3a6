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
  for (const { key, fence, settlement } of batch) {
    cells.push(
      key,
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
  return { now, cells };
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
