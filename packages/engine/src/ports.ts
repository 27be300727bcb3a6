import type { Fence, QueueName, Rotation, TaskId, TaskKey, TaskRecord, TypeName, Weight } from "@giveway/kernel";
import type { ClaimedTask } from "@giveway/store";
import type { SlotView, TaskEventView } from "./api.ts";
import type { CompiledType, QueueSettings } from "./config/compiled.ts";

/**
 * # The seams inside the engine
 *
 * Submits, changes and reads on one side, dispatch on the other, observation between them. Each side knows the other only by these ports.
 */

/** What submits, changes and reads need of the dispatcher. */
export interface DispatchPort {
  /**
   * The straight hand-off (section 11): reserves a free slot for a task about to be inserted when the last claim of its queue came back
   * short and nothing woke the queue since. Null where the task has to go through the ledger's order.
   */
  reserve(queue: QueueName, type: TypeName, weight: Weight): Reservation | null;
  /**
   * A due task that is not handed over is on its way into the ledger. Until the answered function is called (after `arrived`, or where it was
   * not created) nothing is handed over in its queue: whoever is submitted later must not pass it.
   */
  inserting(queue: QueueName): () => void;
  /** Work came into the ledger by this process: ready at once, or due at `dueAt`. */
  arrived(queue: QueueName, weight: Weight, dueAt: number): void;
  /** A task was changed by this process; where it runs here its handler is told (cancelled) or its weight adjusted. */
  changed(task: TaskRecord, kind: "cancelled" | "reweighted"): void;
  /** Overrides were written: re-read and apply them. */
  settingsChanged(): Promise<void>;
  settingsOf(queue: QueueName): QueueSettings | null;
  queueNames(): readonly QueueName[];
  typeState(type: TypeName): TypeState | null;
  slots(): readonly SlotView[];
  /** Where a task stands on this node, beyond its row. */
  local(id: TaskId): LocalFacts | null;
  boundBreaches(queue: QueueName): { readonly order: number; readonly share: number };
  /** Measured on this node: ms of mean run and starts a second, for estimates; null before the first. */
  pace(queue: QueueName): { readonly meanRun: number; readonly startsPerSecond: number } | null;
  usage(queue: QueueName): {
    readonly express: number;
    readonly standard: number;
    readonly burst: number;
    readonly zombies: number;
  };
  /** Whose turn it is where the lanes of a queue take turns. */
  rotation(queue: QueueName): Rotation;
  readonly dispatching: boolean;
}

export interface Reservation {
  readonly claimNo: number;
  /** The insert created and claimed it: start. */
  start(task: ClaimedTask): void;
  /** The insert did not create it (known id, error), or the ledger did not hand it over: give the slot back. `doubt`: the answer got lost. */
  release(doubt?: boolean): void;
}

export interface TypeState {
  readonly compiled: CompiledType;
  readonly paused: boolean;
  readonly running: number;
  readonly zombies: number;
  /** Zombies fill its slots: it is not started on this node any more. */
  readonly stopped: boolean;
  /** The bound in force on this node. */
  readonly bound: number;
}

export interface LocalFacts {
  readonly key: TaskKey;
  readonly fence: Fence;
  readonly phase: "prefetched" | "running" | "settling" | "zombie";
  readonly startedAt: number | null;
  readonly timeoutAt: number | null;
}

/**
 * Everything that happens goes through here once; logs, metrics, events and result waiters read from it.
 *
 * Who emits what, so that each thing is counted and logged exactly once:
 * - `submitted`, `duplicate`, `cancelled`, `reweighted`, `edited`, `rerun`, `removed`, `queue_changed`: submits and changes. A `cancelled` of a
 *   started task carries `outcome: "cancelled"`; an expiry found by dispatch is a `cancelled` by dispatch with `reason: "expired"`.
 * - The rest: dispatch. An attempt's end is one of `succeeded` (result, run), `failed`, `timed_out`, `lost` (error, run), `released`, `snoozed` (delay); after one of the
 *   middle three follows `retrying` (nth, delay) or `dead` (reason, retries, error). A death without an attempt is a `dead` alone.
 * - `started` carries wait and scheduleDelay; `late_answer`: the ledger refused a stale finish; `rejected_late`: a handler threw after its end.
 * All are emitted after the commit that made them true, save `started` of a prefetched task.
 */
export interface EventSink {
  emit(event: EngineEvent): void;
}

/** Measurements that are no events. */
export interface MeasurePort {
  /** One commit of the ledger: how many operations shared it, how long it took. */
  committed(operations: number, ms: number): void;
  /** How much later than armed a timer fired: the lag of the event loop. */
  timerLate(ms: number): void;
}

/** One thing that happened, with raw values: cheap to make on the hot path; text and ISO strings are made only for who listens. */
export interface EngineEvent {
  readonly kind: TaskEventView["kind"];
  /** ms since 1970 */
  readonly at: number;
  readonly task: TaskFacts | null;
  readonly queue?: QueueName;
  readonly data?: EventData;
}

export interface TaskFacts {
  readonly key: TaskKey;
  readonly id: TaskId;
  readonly type: TypeName;
  readonly queue: QueueName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly attempt: number;
}

export interface EventData {
  /** ms from ready to start. */
  readonly wait?: number;
  /** ms from due time to start. */
  readonly scheduleDelay?: number;
  /** ms of running. */
  readonly run?: number;
  /** ms until the next attempt. */
  readonly delay?: number;
  /** Which retry this is. */
  readonly nth?: number;
  /** Retries used when it ended. */
  readonly retries?: number;
  readonly outcome?: string;
  readonly error?: { readonly name: string; readonly message: string };
  readonly reason?: string;
  readonly result?: string | null;
  /** JSON text. */
  readonly progress?: string;
  readonly before?: string;
  readonly after?: string;
  readonly by?: string;
}
