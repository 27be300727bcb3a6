import type { ChangeDecision, TaskId, TaskRecord } from "@giveway/kernel";

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
