import type { ChangeRecord, EndReason, JsonText, StoredError, TaskOverrides } from "./task.ts";
import type { AttemptOutcome, StoredState } from "./task-state.ts";
import type { Weight } from "./weight.ts";

/** What a change by a person or program writes; absent fields stay. The version guards it, so it was decided on what it overwrites. */
export interface TaskPatch {
  readonly state?: StoredState;
  readonly weight?: Weight;
  readonly payload?: JsonText;
  readonly name?: string | null;
  readonly overrides?: TaskOverrides;
  /** ms since 1970, where the target state is waiting: now or before means ready. */
  readonly dueAt?: number;
  /** Where it is ready after the change: keeps seq and since, or arrives anew. */
  readonly place?: "keep" | "anew";
  readonly failures?: number;
  readonly losses?: number;
  readonly endedAt?: number | null;
  readonly endReason?: EndReason | null;
  readonly lastOutcome?: AttemptOutcome | null;
  readonly lastError?: StoredError | null;
  readonly requestId?: string;
}

/** What a running task's node has to be told of a change. */
export type SignalKind = "cancelled" | "reweighted";

/** A change as the kernel decided it, ready to be written under the version it was decided on. */
export interface ChangeDecision {
  readonly patch: TaskPatch;
  /** Kept in the task's history; null for none. */
  readonly record: ChangeRecord | null;
  /** Moves the last attempt from the row into the history first (rerun). */
  readonly archive: boolean;
  /** Leaves a note for the node that runs it. */
  readonly signal: SignalKind | null;
}
