import type {
  AttemptRecord,
  ChangeRecord,
  QueueName,
  StoredState,
  TaskKey,
  TaskRecord,
  TypeName,
  ViewState,
  Weight,
} from "@giveway/kernel";

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
  /** At least 1. */
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
