import type { Fence, NodeId, QueueName, Seq, TaskId, TaskKey, TypeName } from "./ids.ts";
import type { AttemptOutcome, StoredState } from "./task-state.ts";
import type { Weight } from "./weight.ts";

/** JSON text, checked storable on every ledger (no NUL, no lone surrogate, bounded). */
export type JsonText = string;

/** Why a task ended, beyond its state. */
export type EndReason =
  | "succeeded"
  | "not_retryable"
  | "retries_exhausted"
  | "invalid_payload"
  | "poison"
  | "by_hand"
  | "expired"
  | "shed"
  | "replaced";

/** What a failed attempt left behind, made storable and cut to a bound whatever was thrown (A11). */
export interface StoredError {
  readonly name: string;
  /** Never empty. */
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly causes?: readonly { readonly name: string; readonly message: string }[];
  /** What the classifier said (A10). */
  readonly retryable?: boolean;
}

/** A task's retry schedule, as data: delays by list, or growing. A type's function policy lives in code and is not stored. */
export type RetrySpec =
  | { readonly kind: "list"; readonly delays: readonly number[] }
  | {
      readonly kind: "exponential";
      readonly base: number;
      readonly factor: number;
      readonly cap: number;
      readonly max: number;
    };

/** What one submit may set for its own task; absent means the type's setting. Stored as one JSON column. */
export interface TaskOverrides {
  readonly retry?: RetrySpec;
  /** ms */
  readonly timeout?: number;
  /** ms since 1970; by then it should have ended (feeds escalation). */
  readonly deadline?: number;
  /** ms since 1970; not started by then: cancelled as expired. */
  readonly expires?: number;
  readonly tags?: readonly string[];
}

/** A task as the ledger holds it. Every time is ms since 1970, every null means "not (yet)". */
export interface TaskRecord {
  readonly key: TaskKey;
  readonly id: TaskId;
  readonly type: TypeName;
  readonly queue: QueueName;
  /** For people. */
  readonly name: string | null;
  readonly state: StoredState;
  readonly weight: Weight;
  readonly payload: JsonText;
  readonly overrides: TaskOverrides;
  /** Equal for all attempts (C3, C12). */
  readonly requestId: string;
  readonly rerunOf: TaskId | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it may start; feeds the schedule-delay metric, never the order. */
  readonly dueAt: number;
  /** Set when it became ready, null while delayed or ended. Kept through a claim, so that giving way returns to the same place. */
  readonly seq: Seq | null;
  /** Clock of its waiting: since when it is ready. */
  readonly since: number | null;
  /** Grows at every claim. */
  readonly fence: Fence;
  /** Grows at every write that a decision could depend on, a claim included; guards changes made by people and programs. */
  readonly version: number;
  /** Starts so far, over all reruns. */
  readonly attempt: number;
  /** Attempts of the present run that used up a retry. */
  readonly failures: number;
  /** How often a node died while this task was recorded as started. Three make it poison. */
  readonly losses: number;
  /** An ambiguous loss (prefetched in a dying node) was counted: it is not prefetched again. */
  readonly noPrefetch: boolean;
  /** Who holds it while running. */
  readonly node: NodeId | null;
  readonly claimedAt: number | null;
  /** Null while only claimed: then the view is `dispatched`. Kept after the end. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly lastOutcome: AttemptOutcome | null;
  readonly lastError: StoredError | null;
  readonly endReason: EndReason | null;
  readonly result: JsonText | null;
  readonly progress: JsonText | null;
  readonly checkpoint: JsonText | null;
  /** Log lines of the last attempt. */
  readonly log: readonly LogLine[];
}

/** One bounded line that a handler wrote through `ctx.log`. */
export interface LogLine {
  readonly at: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}

/** One attempt of a task's history. The last one lives in the task's row until a further one begins. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly outcome: AttemptOutcome | null;
  readonly node: NodeId | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly error: StoredError | null;
  readonly log: readonly LogLine[];
}

/** One act on a task: who changed what, when and why. */
export interface ChangeRecord {
  readonly at: number;
  /** A person's or program's name as the face gave it, or `system`. */
  readonly by: string;
  readonly kind:
    | "reweighted"
    | "edited"
    | "rescheduled"
    | "rerun"
    | "cancelled"
    | "redriven"
    | "replaced"
    | "expired"
    | "recovered";
  readonly before: JsonText | null;
  readonly after: JsonText | null;
  readonly cause: string | null;
}
