import type { ClaimLane, NodeRegistration, NodeSignal, PruneRequest, SettingOverride } from "@giveway/store";
import type { Cell, Row } from "../driver/driver.ts";

/**
 * # What crosses between the caller's thread and the ledger's
 *
 * Every write is a call with a name, arguments and an answer; one message carries all calls of a commit. What comes in thousands crosses as
 * one flat array of cells, since copying an object costs several times as much as the row it stands for: `…_WIDTH` cells a row.
 */
export interface WriteCalls {
  readonly insert: { args: InsertArgs; answer: InsertAnswer };
  readonly claim: { args: ClaimArgs; answer: ClaimReply };
  readonly markStarted: { args: { readonly cells: readonly Cell[] }; answer: boolean[] };
  readonly settle: { args: SettleArgs; answer: SettleReply };
  readonly saveProgress: { args: { readonly cells: readonly Cell[] }; answer: null };
  readonly change: { args: ChangeArgs; answer: GuardedAnswer[] };
  readonly remove: { args: RemoveArgs; answer: GuardedAnswer[] };
  readonly override: { args: SettingOverride; answer: SettingOverride | null };
  readonly register: { args: NodeRegistration; answer: null };
  readonly beat: { args: { readonly node: string }; answer: BeatReply };
  readonly declareDead: { args: { readonly node: string; readonly lastBeat: number }; answer: boolean };
  readonly forget: { args: { readonly node: string }; answer: null };
  readonly prune: {
    args: PruneRequest;
    answer: { readonly pruned: number; readonly forgotten: number; readonly more: boolean };
  };
}
export type WriteName = keyof WriteCalls;
export type WriteArgs<Name extends WriteName> = WriteCalls[Name]["args"];
export type WriteAnswer<Name extends WriteName> = WriteCalls[Name]["answer"];

/** One call of a commit. */
export type WriteCall = {
  readonly [Name in WriteName]: { readonly name: Name; readonly args: WriteArgs<Name> };
}[WriteName];

/** stream index, id, name, weight, payload, overrides, requestId, rerunOf, dueAt, node of a hand-off or null, its claim number or null */
export const INSERT_WIDTH = 11;
export interface InsertArgs {
  readonly now: number;
  /** Queue and type by turns; rows name them by the index of the pair. */
  readonly streams: readonly string[];
  readonly cells: readonly Cell[];
}

/**
 * Three cells a row. Created: key, seq or null, 1 where handed off. Known: 0 and two nulls, its record in `known`. Remembered: -1 and two
 * nulls, its memory in `known`. Both lists of `known` are in the order of the rows.
 */
export const INSERTED_WIDTH = 3;
export interface InsertAnswer {
  readonly cells: readonly Cell[];
  readonly known: readonly Row[];
}

export interface ClaimArgs {
  readonly queue: string;
  readonly node: string;
  readonly claimNo: number;
  readonly now: number;
  /** type, room, direct or null, bound or null: four cells a type. */
  readonly types: readonly Cell[];
  readonly lanes: readonly ClaimLane[];
}
export const CLAIM_TYPE_WIDTH = 4;

/**
 * key, sixteen times the type's index in the request plus the weight, seq, since, and a sum: 1 where it started, 2 where `more` has its next
 * row. Nearly all tasks are taken for the first time; then the rest follows from that.
 */
export const CLAIMED_WIDTH = 5;
export const CLAIMED_STARTED = 1;
export const CLAIMED_MORE = 2;
/** dueAt or null for that of the task, fence, starts before, failures, losses, noPrefetch, checkpoint */
export const CLAIMED_MORE_WIDTH = 7;
/** What lies in the task's own row. */
export type ClaimedBody = readonly [
  key: number,
  id: string,
  name: string | null,
  payload: string,
  overrides: string | null,
  requestId: string,
  createdAt: number,
  dueAt: number,
];
export interface ClaimReply {
  readonly tasks: readonly number[];
  /** Lists of bodies as JSON, put together by SQLite and taken apart by the caller: one text costs the thread next to nothing to pass on. */
  readonly bodies: readonly string[];
  readonly more: readonly Cell[];
  readonly left: readonly [express: boolean, standard: boolean];
  readonly full: readonly string[];
  readonly until: readonly [express: number | null, standard: number | null];
  readonly nextDueAt: number | null;
}

/** key, fence, attempt, startedAt */
export const START_WIDTH = 4;
/** key, fence, progress */
export const PROGRESS_WIDTH = 3;

/**
 * Settlements in runs: neighbours that differ in nothing but their keys, as those of short tasks that end in the same ms do, share one row of
 * cells. Columns: fence, state, outcome, attempt, failures, losses, noPrefetch, dueAt, keeps its place, startedAt, endedAt, error, endReason,
 * result, checkpoint, log.
 */
export const SETTLE_WIDTH = 16;
export interface SettleArgs {
  readonly now: number;
  readonly cells: readonly Cell[];
  /** How many keys each row of cells stands for. */
  readonly counts: readonly number[];
  readonly keys: readonly number[];
}
/**
 * Two cells a settlement: 1 and the seq or null where applied; 0 and the state's number or null where refused. Null in place of it all: every
 * one was applied and none has a place.
 */
export type SettleReply = readonly Cell[] | null;
export const SETTLED_WIDTH = 2;

export interface ChangeArgs {
  readonly now: number;
  /** The operations as JSON: they are few, and of many shapes. */
  readonly ops: string;
}
export interface RemoveArgs {
  readonly now: number;
  readonly ops: readonly { readonly id: string; readonly version: number }[];
}
/** What stands now: the record where the write was applied (change) or refused, null where there is no such row or it was removed. */
export interface GuardedAnswer {
  readonly applied: boolean;
  readonly row: Row | null;
}

export interface BeatReply {
  readonly alive: boolean;
  readonly signals: readonly NodeSignal[];
  readonly waitedForLock: number;
}
