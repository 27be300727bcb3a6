import type {
  Fence,
  JsonText,
  LaneOrder,
  NodeId,
  QueueName,
  Seq,
  TaskId,
  TaskKey,
  TaskOverrides,
  TypeName,
  Weight,
} from "@giveway/kernel";

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
