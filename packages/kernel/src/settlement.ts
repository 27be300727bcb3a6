import type { EndReason, JsonText, LogLine, StoredError } from "./task.ts";
import type { AttemptOutcome, StoredState } from "./task-state.ts";

/**
 * What becomes of a claimed task, decided by the kernel and written by the store under the fence. The store adds nothing: a target of
 * `waiting` lands in `ready` when `dueAt` has come, else in `delayed`; `place` says whether it keeps its `seq` and `since`.
 */
export interface Settlement {
  readonly event: "succeed" | "retry" | "bury" | "giveWay" | "release" | "snooze" | "unclaim" | "cancel" | "expire";
  readonly state: StoredState;
  /** How the attempt ended; null where none had begun (unclaim). */
  readonly outcome: AttemptOutcome | null;
  /** Attempts started so far, this one included when it started. */
  readonly attempt: number;
  readonly failures: number;
  readonly losses: number;
  readonly noPrefetch: boolean;
  /** ms since 1970; only read when `state` is `waiting`. */
  readonly dueAt: number;
  readonly place: "keep" | "anew";
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly error: StoredError | null;
  readonly endReason: EndReason | null;
  readonly result: JsonText | null;
  readonly checkpoint: JsonText | null;
  readonly log: readonly LogLine[];
}
