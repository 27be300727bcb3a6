import type { Fence, JsonText, Seq, Settlement, StoredState, TaskKey } from "@giveway/kernel";

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
