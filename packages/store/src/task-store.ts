import type { NodeId, QueueName, TaskId, TaskRecord } from "@giveway/kernel";
import type { ChangeOp, ChangeOutcome, RemoveOp, RemoveOutcome } from "./contract/change.ts";
import type { ClaimAnswer, ClaimRequest } from "./contract/claim.ts";
import type { FindPage, FindQuery, TaskHistory } from "./contract/find.ts";
import type { InsertOutcome, InsertTurn, NewTask, RememberedId } from "./contract/insert.ts";
import type { Depth, EndedTotal, UpcomingAnswer, UpcomingRequest } from "./contract/look.ts";
import type { BeatAnswer, NodeRecord, NodeRegistration } from "./contract/nodes.ts";
import type { ProgressMark, SettleOp, SettleOutcome, StartMark } from "./contract/settle.ts";
import type { PruneRequest, SettingOverride, StoreInfo } from "./contract/upkeep.ts";

export type * from "./contract/change.ts";
export type * from "./contract/claim.ts";
export type * from "./contract/find.ts";
export type * from "./contract/insert.ts";
export type * from "./contract/look.ts";
export type * from "./contract/nodes.ts";
export type * from "./contract/settle.ts";
export type * from "./contract/upkeep.ts";

/**
 * # The store contract
 *
 * The store remembers; it never decides. Every write is a batch, is applied in one transaction, is guarded by the expected state and
 * fence (or version), and answers once it is durable. Calls made while a commit is under way share the next one (group commit), in this
 * order of turns: settlements and starts, then claims and changes, then express inserts, then normal inserts, then bulk inserts in
 * turns of at most 500 rows (`CommitQueue`). No call waits for a timer. A bulk insert longer than a turn is several transactions: where a later one
 * fails, the rows of the earlier ones stay, and a repeat finds them by their ids.
 *
 * Answers come in the order of the batch. A batch never fails because of one item: each item has its own answer. A rejected promise
 * (a coded `ledger_*` error) means that nothing of the batch was written, or for `ledger_unavailable` that it is not known; repeating it is safe.
 *
 * `now` comes from the caller; a ledger with a clock of its own (`features.clock === "ledger"`) uses that instead.
 *
 * ## What every store keeps (the conformance suite checks each line)
 *
 * - **Version** starts at 1 and grows by one at every write that a later decision could depend on: claim, start, settle, change. It stays
 *   where a delayed task becomes ready and where progress is saved. So a change decided on a waiting task is refused once it was claimed.
 *   `updatedAt` follows the same writes.
 * - **Ready** means: it has `seq` and `since`. Both are given when the task is *moved* to ready (`since` is the `now` of that call, not the due
 *   time), survive a claim, and are null while it is delayed or ended. A task whose due time has come but that no claim has moved yet counts as
 *   delayed in `depths`, keeps its null `seq`, and is moved by the next claim of its queue.
 * - **Attempt in the row**: the row holds an attempt that the history does not have exactly while `startedAt` is set. A start that is recorded
 *   (by the claim, a hand-off or `markStarted`) clears `log` and `progress`. A return to waiting appends the attempt to the history where its `outcome` is not null, and clears `node`,
 *   `claimedAt` and `startedAt`. An end keeps all three in the row; one without `startedAt` but with an outcome is appended too, so nothing that
 *   ended is lost. Attempts are appended in order of their ends, not keyed by number: an ambiguous loss may repeat one.
 * - **Attempts read from the row**: outcome, end, error and log are empty while it runs; the error belongs to it only after `failed`,
 *   `timed_out` or `lost`.
 * - **Dead nodes take nothing**: a claim by a node that is not registered, or was declared dead, answers empty and writes nothing; a
 *   hand-off to one leaves the task ready. Otherwise a node that wakes after its take-over would hold tasks that nobody frees.
 * - **Ids** are compared as exact text: letter case, blanks and every other character count.
 */
export interface TaskStore {
  readonly features: StoreFeatures;

  /** Opens the ledger, checks it, migrates it forward. Errors: `ledger_from_future`, `ledger_corrupt`, `ledger_unsafe`, `ledger_read_only`, `ledger_busy`. */
  open(): Promise<void>;
  /** Lets pending batches commit, then closes. Idempotent. Later calls reject with `ledger_closed`. */
  close(): Promise<void>;
  /** Registers what to call on the store's own news. Called before `open`. */
  listen(listener: StoreListener): void;

  // --- The hot path -------------------------------------------------------------------------------------------------------------
  insert(batch: readonly NewTask[], turn: InsertTurn, now: number): Promise<InsertOutcome[]>;
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Records that prefetched tasks have started. Answer per item: false where it no longer runs under this fence. Repeating it is harmless. */
  markStarted(batch: readonly StartMark[]): Promise<boolean[]>;
  settle(batch: readonly SettleOp[], now: number): Promise<SettleOutcome[]>;
  /** Keeps a running handler's latest progress. A stale fence is ignored. */
  saveProgress(batch: readonly ProgressMark[]): Promise<void>;

  // --- Changes by people and programs ------------------------------------------------------------------------------------------
  change(batch: readonly ChangeOp[], now: number): Promise<ChangeOutcome[]>;
  /** Deletes rows (guarded by version, never running ones), with their history; ids of succeeded ones stay remembered from their end on. */
  remove(batch: readonly RemoveOp[], now: number): Promise<RemoveOutcome[]>;

  // --- Reading ------------------------------------------------------------------------------------------------------------------
  get(ids: readonly TaskId[]): Promise<(TaskRecord | null)[]>;
  /** A remembered id of a pruned task, per id. */
  remembered(ids: readonly TaskId[]): Promise<(RememberedId | null)[]>;
  find(query: FindQuery): Promise<FindPage>;
  /** Null where the id has no row. */
  history(id: TaskId): Promise<TaskHistory | null>;
  /**
   * The next tasks of one queue in exact order, per lane, without claiming or moving them. Limits up to 1 000. Answers what a claim at the
   * same `now` would take: the first page of due tasks counts as moved, with the `seq` and `since` it would get.
   */
  upcoming(request: UpcomingRequest): Promise<UpcomingAnswer>;
  /** Depth counters, only those that are not all zero; never counts a table. */
  depths(): Promise<Depth[]>;
  /** Rows per ended state, queue and type, only those above zero: a rerun, removal or prune takes its task out again. From counters. */
  totals(): Promise<EndedTotal[]>;
  /** The earliest due time among delayed tasks per queue, or none. */
  nextDue(): Promise<{ readonly queue: QueueName; readonly dueAt: number }[]>;

  // --- Live settings ------------------------------------------------------------------------------------------------------------
  overrides(): Promise<SettingOverride[]>;
  /** Sets one override, or resets it where `value` is null. Answers the one before. */
  override(change: SettingOverride): Promise<SettingOverride | null>;

  // --- Nodes --------------------------------------------------------------------------------------------------------------------
  /** Repeating it renews the facts and the beat, but never revives a node declared dead. */
  register(node: NodeRegistration): Promise<void>;
  /** Renews the lease and fetches what others left for this node, once. `alive: false`: unknown or declared dead; stop. */
  beat(node: NodeId, now: number): Promise<BeatAnswer>;
  nodes(): Promise<NodeRecord[]>;
  /** Marks a node dead so that its beats are refused and its tasks may be taken over; false where it beat meanwhile or is unknown. Idempotent. */
  declareDead(node: NodeId, lastBeat: number): Promise<boolean>;
  /** Running tasks of a node, by key, at most `limit`: what its take-over has to settle. */
  held(node: NodeId, limit: number): Promise<TaskRecord[]>;
  /** Forgets a node and the signals left for it. One that still holds tasks stays: settle them first. */
  forget(node: NodeId): Promise<void>;

  // --- Upkeep -------------------------------------------------------------------------------------------------------------------
  /**
   * Deletes what retention allows, at most `limit` rows and remembered ids a call, those that ended first first; dead ones never. `pruned` rows,
   * then `forgotten` ids. `more`: another call would find work.
   */
  prune(
    request: PruneRequest,
  ): Promise<{ readonly pruned: number; readonly forgotten: number; readonly more: boolean }>;
  /** A consistent copy while writing goes on. Errors: `invalid_option` where the target exists. */
  backup(target: string): Promise<{ readonly bytes: number }>;
  /** The ledger's own integrity check: empty when sound. */
  check(): Promise<string[]>;
  info(): Promise<StoreInfo>;
}

export interface StoreFeatures {
  readonly name: "memory" | "sqlite" | "postgres" | "mysql";
  /** Whose clock rules due times. */
  readonly clock: "caller" | "ledger";
  /** How other processes' news arrives. */
  readonly wake: "none" | "poll" | "notify";
  readonly durable: boolean;
  /** Default lease and beat in ms. */
  readonly lease: number;
  readonly beat: number;
  /** The safety poll in ms; 0 where no other process can write. */
  readonly poll: number;
}

export interface StoreListener {
  /** Another process wrote to the ledger. */
  wake(): void;
  /** The ledger can't go on (failed sync, corrupt file, dead thread). The engine stops at once. */
  fatal(error: Error): void;
  /** One commit's size and duration, for the metrics. */
  committed?(operations: number, ms: number): void;
}
