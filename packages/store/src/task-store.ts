import type {
  AttemptRecord,
  ChangeDecision,
  ChangeRecord,
  Fence,
  JsonText,
  LaneOrder,
  NodeId,
  QueueName,
  Seq,
  Settlement,
  SignalKind,
  StoredState,
  TaskId,
  TaskKey,
  TaskOverrides,
  TaskRecord,
  TypeName,
  ViewState,
  Weight,
} from "@giveway/kernel";

/**
 * # The store contract
 *
 * The store remembers; it never decides. Every write is a batch, is applied in one transaction, is guarded by the expected state and
 * fence (or version), and answers once it is durable. Calls made while a commit is under way share the next one (group commit), in this
 * order of turns: settlements and starts, then claims and changes, then express inserts, then normal inserts, then bulk inserts in
 * turns of at most 500 rows. No call waits for a timer.
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

export type InsertTurn = "express" | "normal" | "bulk";

export interface NewTask {
  readonly id: TaskId;
  readonly type: TypeName;
  readonly queue: QueueName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly payload: JsonText;
  readonly overrides: TaskOverrides;
  readonly requestId: string;
  readonly rerunOf: TaskId | null;
  /** ms since 1970; at or before `now` means ready at once. */
  readonly dueAt: number;
  /** Straight hand-off: when created and due, it is born claimed and started by this node (attempt 1, fence 1, version 2). */
  readonly handOff: { readonly node: NodeId; readonly claimNo: number } | null;
}

export type InsertOutcome =
  | {
      readonly kind: "created";
      readonly key: TaskKey;
      readonly seq: Seq | null;
      readonly since: number | null;
      readonly handedOff: boolean;
    }
  /** The id is known: what it stands for. The engine judges whether that is the same task. An earlier item of the same batch counts too. */
  | { readonly kind: "exists"; readonly task: TaskRecord }
  /** The id belonged to a succeeded task whose row is gone. */
  | { readonly kind: "remembered"; readonly remembered: RememberedId };

export interface RememberedId {
  readonly id: TaskId;
  readonly type: TypeName;
  /** Of the canonical payload, see `payloadHash`. */
  readonly payloadHash: string;
  readonly endedAt: number;
}

/** Which types may be claimed, and how many of each at most. Room and bound are shared by the lanes, in the order of the request. */
export interface OpenType {
  readonly type: TypeName;
  /** How many this node may take now (its own bound and window). */
  readonly room: number;
  /**
   * How many of them may start at once, where the node's own bound leaves less room than its window; absent: as many as `room`. Used up,
   * its tasks are prefetched as far as the lanes' prefetch goes, and beyond that passed over like those of a type without room; so are a
   * stream and weight whose head is marked `noPrefetch`, since it can neither start nor be prefetched.
   */
  readonly direct?: number;
  /** A stated bound for the whole ledger: claimed and running ones of all nodes, in all queues, count. */
  readonly bound: number | null;
}

export interface ClaimLane {
  readonly order: LaneOrder;
  /** At most so many from this lane; 0 only looks what is there. */
  readonly limit: number;
  /**
   * The first so many of them whose type may start at once (`OpenType.direct`) do so and are recorded as started (at the claim's `now`); the rest,
   * at most `limit - direct`, are prefetched. A task marked `noPrefetch`
   * is never prefetched: the lane's prefetch ends where it would come next, since whatever stands behind it must not pass it. Once a slot is
   * free, it is claimed directly.
   */
  readonly direct: number;
}

/**
 * A claim first moves what is due (`dueAt <= now`) in its queue from delayed to ready, whatever its type: one page of at most 1 000, express
 * (weight 7 and up) first, then by due time, then by key. Then it takes from each lane, in the order given, in exact start order (`mergeHeads`
 * of the kernel, or the same in SQL). Where a page was not enough, `nextDueAt` is not ahead of `now` and `left` is true: ask again.
 */
export interface ClaimRequest {
  readonly queue: QueueName;
  readonly node: NodeId;
  /** Grows with each claim of this incarnation (D17.4). */
  readonly claimNo: number;
  readonly now: number;
  /** Only streams of these types are open. */
  readonly types: readonly OpenType[];
  readonly lanes: readonly ClaimLane[];
}

export interface ClaimedTask {
  readonly key: TaskKey;
  readonly id: TaskId;
  readonly type: TypeName;
  readonly queue: QueueName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly payload: JsonText;
  readonly overrides: TaskOverrides;
  readonly requestId: string;
  readonly createdAt: number;
  readonly dueAt: number;
  readonly seq: Seq;
  readonly since: number;
  readonly fence: Fence;
  /** Starts so far, this one included where `started`. */
  readonly attempt: number;
  readonly started: boolean;
  readonly failures: number;
  readonly losses: number;
  readonly noPrefetch: boolean;
  readonly checkpoint: JsonText | null;
}

export interface ClaimAnswer {
  /** In start order, lane by lane. */
  readonly tasks: readonly ClaimedTask[];
  /**
   * Whether startable work of the open types was left behind, per lane of the request: ready work of a type that still has room and permits, also where
   * `noPrefetch` kept it back. True for every lane of the request while due work remains that the page did not reach; false for a lane it
   * does not name.
   */
  readonly left: { readonly express: boolean; readonly standard: boolean };
  /**
   * Open types whose ready work was left because their room or bound is used up, or whose `noPrefetch` head found no `direct` left: ask again once
   * one of them ends. Sorted by name.
   */
  readonly full: readonly TypeName[];
  /**
   * Per lane, the smallest `overtakenUntil` (kernel, order bound) among the heads left behind of open streams with room; null where none, and
   * where the ranking promises nothing. A claimed
   * task with `since` after it would break the bound (within the same ms only `seq` could tell): the engine checks this at every claim with
   * `OrderChecker.checkClaim` and counts breaches.
   */
  readonly overtakenUntil: { readonly express: number | null; readonly standard: number | null };
  /** Earliest due time still delayed in this queue, of any type; null where none. */
  readonly nextDueAt: number | null;
}

export interface StartMark {
  readonly key: TaskKey;
  readonly fence: Fence;
  readonly attempt: number;
  readonly startedAt: number;
}

export interface ProgressMark {
  readonly key: TaskKey;
  readonly fence: Fence;
  readonly progress: JsonText;
}

export interface SettleOp {
  readonly key: TaskKey;
  readonly fence: Fence;
  readonly settlement: Settlement;
}

/**
 * A retry, release, snooze or loss archives the attempt as a history row in the same transaction; an end leaves it in the task's row.
 * `refused` names what stands instead (null: no row): the write came too late. Applied only to a running task under exactly this fence.
 * `lastOutcome`, `lastError` and `log` are written where an outcome is given; `result` and `checkpoint` always; `dueAt` only for `waiting`, `endedAt` only
 * for an end. `seq` is the place it has now, null where delayed or ended. `place: "keep"` counts only where it is ready at once.
 */
export type SettleOutcome =
  | { readonly kind: "applied"; readonly seq: Seq | null }
  | { readonly kind: "refused"; readonly state: StoredState | null };

/**
 * A decided change, guarded by the version it was decided on. Its signal is left for the node that ran the task before the change, and
 * delivered by that node's next beat; none where it was not running.
 *
 * Where the task waits afterwards: with `dueAt` given it is ready if that has come, else delayed; without, it stays ready or delayed as it was, and one
 * that ended before goes by its own `dueAt`. A ready task keeps its place unless the patch says `anew`; one that was not ready arrives anew.
 * `archive` appends the row's attempt to the history and clears `node`, `claimedAt`, `startedAt`, `log` and `progress`; so does any change to waiting of
 * a task that was not, though without `archive` that attempt is dropped.
 */
export interface ChangeOp extends ChangeDecision {
  readonly id: TaskId;
  readonly version: number;
}

export type ChangeOutcome =
  | { readonly kind: "applied"; readonly task: TaskRecord }
  | { readonly kind: "refused"; readonly task: TaskRecord | null };

export interface RemoveOp {
  readonly id: TaskId;
  readonly version: number;
}
export type RemoveOutcome =
  | { readonly kind: "removed" }
  | { readonly kind: "refused"; readonly task: TaskRecord | null };

/** Filters combine with AND, values within one with OR; an empty list matches nothing. Newest (highest key) first, keyset cursor. */
export interface FindQuery {
  /** Stored states and views, as the kernel's `predicateOf` translates them. */
  readonly states?: readonly (StoredState | ViewState)[];
  readonly types?: readonly TypeName[];
  readonly queues?: readonly QueueName[];
  readonly weights?: readonly Weight[];
  /** Has any of them among the tags of its overrides. */
  readonly tags?: readonly string[];
  /**
   * Contained literally (no wildcards) in id, name, payload text, or the last error's name, code or message; letter case of A to Z does not
   * count. Empty text matches everything.
   */
  readonly text?: string;
  /** Inclusive. */
  readonly createdFrom?: number;
  /** Exclusive. */
  readonly createdTo?: number;
  /** The key after which to go on (exclusive), from `FindPage.next`. */
  readonly after?: TaskKey;
  readonly limit: number;
  readonly now: number;
}
export interface FindPage {
  readonly tasks: readonly TaskRecord[];
  /** The last task's key where more match, else null. */
  readonly next: TaskKey | null;
}

export interface TaskHistory {
  readonly task: TaskRecord;
  /** Oldest first; the row's own attempt last. */
  readonly attempts: readonly AttemptRecord[];
  readonly changes: readonly ChangeRecord[];
}

export interface UpcomingRequest {
  readonly queue: QueueName;
  readonly lanes: readonly LaneOrder[];
  /** Null: all types. */
  readonly types: readonly TypeName[] | null;
  readonly limit: number;
  readonly now: number;
}
export interface UpcomingTask {
  readonly id: TaskId;
  readonly type: TypeName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly seq: Seq;
  readonly since: number;
}
export interface UpcomingAnswer {
  readonly express: readonly UpcomingTask[];
  readonly standard: readonly UpcomingTask[];
}

/** Counts of one stream and base weight. */
export interface Depth {
  readonly queue: QueueName;
  readonly type: TypeName;
  readonly weight: Weight;
  readonly ready: number;
  readonly delayed: number;
  readonly running: number;
  /** `since` of its head; null where none is ready. */
  readonly oldest: number | null;
}
export interface EndedTotal {
  readonly queue: QueueName;
  readonly type: TypeName;
  readonly state: "succeeded" | "dead" | "cancelled";
  readonly count: number;
}

/** A live change that wins over code (section 1): pause, slots, share … of one queue or type. */
export interface SettingOverride {
  readonly scope: "queue" | "type";
  readonly name: string;
  readonly key: string;
  /** JSON text, or null for none. */
  readonly value: JsonText | null;
  readonly by: string;
  readonly at: number;
}

export interface NodeRegistration {
  readonly node: NodeId;
  /** For people. */
  readonly label: string;
  readonly release: string;
  readonly types: readonly TypeName[];
  readonly now: number;
  /** ms: without a beat for so long the lease has expired. */
  readonly lease: number;
}
export interface NodeRecord {
  readonly node: NodeId;
  readonly label: string;
  readonly release: string;
  readonly types: readonly TypeName[];
  readonly startedAt: number;
  /** On the ledger's lease clock (monotonic since boot for SQLite), as is `clock`. */
  readonly lastBeat: number;
  readonly clock: number;
  readonly lease: number;
  readonly declaredDead: boolean;
  /** The store can prove its process ended (same boot and process namespace, pid gone or reused; or another boot). */
  readonly provenDead: boolean;
  readonly self: boolean;
}
export interface NodeSignal {
  readonly kind: SignalKind | "drain";
  readonly id: TaskId | null;
}
export interface BeatAnswer {
  readonly alive: boolean;
  readonly signals: readonly NodeSignal[];
  /**
   * The longest wait for the ledger's write lock since the beat before, ms; absent where there is no such lock. A node that waited for long
   * could not see others' beats either: it doesn't take over for an expired lease then (section 11).
   */
  readonly waitedForLock?: number;
}

export interface PruneRequest {
  readonly now: number;
  /** ms to keep rows of succeeded and cancelled tasks after their end: pruned once `endedAt + keep <= now`. */
  readonly keep: number;
  /** ms after their end to remember ids of succeeded ones: known until `endedAt + remember <= now`. A row pruned later than that leaves none. */
  readonly remember: number;
  readonly limit: number;
}

export interface StoreInfo {
  readonly location: string;
  readonly schemaVersion: number;
  readonly engineVersion: string;
  readonly bytes: number;
  readonly settings: Readonly<Record<string, string | number>>;
}
