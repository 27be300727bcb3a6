import type {
  AgingSteps,
  AttemptOutcome,
  Clock,
  EndReason,
  JsonText,
  Lane,
  LogLine,
  Policy,
  Random,
  StoredError,
  StoredState,
  ViewState,
  Weight,
  WeightInput,
} from "@giveway/kernel";
import type { TaskStore } from "@giveway/store";

/**
 * # What the engine offers to the faces
 *
 * The front door (`giveway`) puts types on top, the server and the command line use it as it is. Payloads and results are plain JSON
 * values here. All instants in answers are UTC ISO strings, all durations numbers of ms or strings such as "15m".
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** Whole ms, or text: `250ms`, `5s`, `15m`, `2h`, `7d`, `1w`, also joined: `1h30m`. */
export type DurationInput = number | string;
/** A `Date`, an ISO 8601 string with zone, or ms since 1970. */
export type DateInput = Date | string | number;

/** A task as people and programs see it, the same in library, HTTP and command line. */
export interface TaskView {
  readonly id: string;
  readonly name: string | null;
  readonly type: string;
  readonly queue: string;
  readonly state: StoredState;
  readonly view: ViewState;
  /** True after a cancel while the handler has not settled yet. */
  readonly settling: boolean;
  readonly weight: Weight;
  readonly effectiveWeight: number;
  readonly lane: Lane;
  readonly attempt: number;
  readonly retries: number;
  readonly maxRetries: number | null;
  readonly payload: Json;
  readonly result: Json;
  readonly progress: Json;
  readonly lastError: StoredError | null;
  readonly lastOutcome: AttemptOutcome | null;
  readonly endReason: EndReason | null;
  readonly requestId: string;
  readonly rerunOf: string | null;
  readonly tags: readonly string[];
  readonly node: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly dueAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly deadline: string | null;
  readonly expires: string | null;
}

export type RetryDecision = number | false;

/** What `run` gets beside its payload. */
export interface HandlerContext {
  readonly id: string;
  readonly name: string | null;
  readonly type: string;
  readonly queue: string;
  /** 1 for the first start. */
  readonly attempt: number;
  /** Equal for all attempts: hand it to whatever the handler calls, so that it can tell a repeat (C3, C12). */
  readonly requestId: string;
  /** The due time, ISO: for a recurring task the instant it stands for. */
  readonly scheduledFor: string;
  readonly weight: Weight;
  /** Fires with a typed reason: `task_cancelled`, `timed_out`, `lease_lost` or `shutting_down` (a GivewayError). */
  readonly signal: AbortSignal;
  /** Bounded lines kept with the attempt, and passed on to the log. */
  readonly log: HandlerLog;
  /** Keeps the latest progress (JSON, 64 KiB) where `get` shows it. Throws `unstorable_value` for what JSON can't hold. */
  progress(value: unknown): void;
  /** Moves the time-out: the attempt may run so long from now. */
  extend(duration: DurationInput): void;
  /** Ends the attempt and tries again after the delay: no failure, no retry used up (V-25). Throws to unwind the handler; catching that changes nothing. */
  snooze(delay: DurationInput): never;
  /** Submits another task. */
  submit(type: TypeRef, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer>;
}

export interface HandlerLog {
  debug(text: string, fields?: Record<string, unknown>): void;
  info(text: string, fields?: Record<string, unknown>): void;
  warn(text: string, fields?: Record<string, unknown>): void;
  error(text: string, fields?: Record<string, unknown>): void;
}

/** A task type as the engine runs it; the front door makes it from `defineTask`. */
export interface TaskType {
  readonly type: string;
  /** Default `default`. */
  readonly queue?: string;
  readonly weight?: WeightInput;
  /** Default 60 s. */
  readonly timeout?: DurationInput;
  /** Stated bound for the whole ledger; default: the queue's slots − 1 on this node where the queue serves several types. */
  readonly concurrency?: number;
  readonly retry?: RetryOptions;
  /** Derives the id from the payload: a stable business key (A19). */
  readonly id?: (payload: never) => string;
  /** Checks and may transform a payload at submit and before each run. Answers the value or throws `invalid_payload`. */
  readonly validate?: (payload: unknown) => unknown | Promise<unknown>;
  readonly run: (payload: never, ctx: HandlerContext) => unknown;
}

export interface RetryOptions {
  /** One delay per retry. Default 1 s, 5 s, 25 s. An empty list: never. */
  readonly delays?: readonly DurationInput[];
  /** Or growing: base × factor^n, at most cap, max times. */
  readonly exponential?: {
    readonly base: DurationInput;
    readonly factor?: number;
    readonly cap?: DurationInput;
    readonly max?: number;
  };
  /** Or a function: the delay before the next attempt, or false for none. `retries` counts those already used. */
  readonly next?: (error: unknown, retries: number) => DurationInput | false;
  /** The type's own word on an error, after the error's own boolean `retryable` (A10). Undefined: the built-in table decides. */
  readonly retryable?: (error: unknown) => boolean | undefined;
}

export interface QueueOptions {
  /** Default 4. */
  readonly slots?: number;
  /** Slots with burst included; default 2 × slots. */
  readonly burst?: number;
  /** Who may use the burst slots. Default `express`. */
  readonly burstFor?: "express" | "all";
  /** Percent of the slots that express may hold while standard work waits. Default 70. */
  readonly share?: number;
  readonly policy?: Policy;
  readonly steps?: { readonly standard?: DurationInput; readonly express?: DurationInput };
}

/** One structured line per event of A18. pino fits as it is. */
export interface Logger {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
  /** Whether a level is written at all; lines that are not are never put together. */
  isLevelEnabled?(level: string): boolean;
}

export interface EngineOptions {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tasks: readonly TaskType[];
  readonly queues?: Readonly<Record<string, QueueOptions>>;
  /** For people; default the host's name and the process id. */
  readonly label?: string;
  readonly release?: string;
  /** Default 25 s. */
  readonly stopTimeout?: DurationInput;
  readonly retention?: { readonly keep?: DurationInput; readonly remember?: DurationInput };
  /** Bytes of JSON; default 256 KiB. */
  readonly maxPayload?: number;
  /** Key figures are logged so often; default 60 s, 0 for never (A13). */
  readonly logFigures?: DurationInput;
  /**
   * Submits of types that have no handler here are accepted: for a submit-only client. Payloads of such types are checked only for being
   * storable, their queue is the submit's own or `default`, and the queue's name is not checked. Default false.
   */
  readonly allowUnknownTypes?: boolean;
}

export interface SubmitOptions {
  readonly id?: string;
  readonly name?: string;
  readonly weight?: WeightInput;
  readonly delay?: DurationInput;
  readonly runAt?: DateInput;
  readonly deadline?: DateInput;
  readonly expires?: DateInput;
  readonly queue?: string;
  readonly retry?: RetryOptions;
  readonly timeout?: DurationInput;
  readonly requestId?: string;
  readonly onDuplicate?: "return" | "reject" | "replace";
  readonly tags?: readonly string[];
}

/** A type by its name, or by a definition that carries it. */
export type TypeRef = string | { readonly type: string };

export interface SubmitItem extends SubmitOptions {
  readonly type: TypeRef;
  readonly payload: unknown;
}

/** `created: false`: the id was known; `task` is the existing one. `pruned`: its row is gone, it had succeeded. */
export interface SubmitAnswer {
  readonly task: TaskView;
  readonly created: boolean;
  readonly pruned?: true;
  /** `replace` did not replace; why not. */
  readonly reason?: string;
}

export interface TaskFilter {
  readonly state?: StoredState | ViewState | readonly (StoredState | ViewState)[];
  readonly type?: string | readonly string[];
  readonly queue?: string | readonly string[];
  readonly weight?: WeightInput | readonly WeightInput[];
  readonly tag?: string | readonly string[];
  readonly text?: string;
  readonly createdFrom?: DateInput;
  readonly createdTo?: DateInput;
}
export interface FindOptions extends TaskFilter {
  readonly cursor?: string;
  /** 1 to 1 000, default 50. */
  readonly limit?: number;
}
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export interface AttemptView {
  readonly attempt: number;
  readonly outcome: AttemptOutcome | "running" | null;
  readonly node: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly error: StoredError | null;
  readonly log: readonly { readonly at: string; readonly level: LogLine["level"]; readonly text: string }[];
}
export interface ChangeView {
  readonly at: string;
  readonly by: string;
  readonly kind: string;
  readonly before: Json;
  readonly after: Json;
  readonly cause: string | null;
}
export interface HistoryView {
  readonly attempts: readonly AttemptView[];
  readonly changes: readonly ChangeView[];
}

/** Codes of `why` reasons; `docs/reference/why.md` lists them. */
export interface WhyView {
  readonly id: string;
  readonly state: StoredState;
  readonly view: ViewState;
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  /** Tasks that start before it, exact up to 1 000. */
  readonly position?: number;
  readonly weight?: {
    readonly base: Weight;
    readonly gained: number;
    readonly effective: number;
    readonly ceiling: number;
  };
  /** ISO, an estimate. */
  readonly estimate?: string;
  readonly attempts: readonly AttemptView[];
}

export interface EditPatch {
  readonly payload?: unknown;
  readonly weight?: WeightInput;
  readonly runAt?: DateInput;
  readonly delay?: DurationInput;
  readonly name?: string | null;
}

/** Who acts; kept in history and audit. Default `api`. */
export interface Actor {
  readonly by?: string;
  readonly cause?: string;
}

export interface RerunOptions extends Actor {
  readonly payload?: unknown;
  readonly delay?: DurationInput;
}

export interface RedriveOptions extends Actor {
  readonly payload?: unknown;
  /** Tasks per second; default 100. */
  readonly rate?: number;
  /** Counts only. */
  readonly dryRun?: boolean;
  readonly limit?: number;
}

export interface QueueView {
  readonly name: string;
  readonly policy: Policy;
  readonly slots: number;
  readonly burst: number;
  readonly share: number;
  readonly cap: number;
  readonly paused: boolean;
  /** Which settings are overridden, by whom and since when. */
  readonly overrides: readonly {
    readonly key: string;
    readonly value: Json;
    readonly by: string;
    readonly at: string;
  }[];
  readonly depth: {
    readonly waiting: number;
    readonly delayed: number;
    readonly running: number;
    readonly express: number;
    readonly standard: number;
    readonly byWeight: Readonly<Record<string, number>>;
  };
  readonly oldestWaiting: { readonly express: number | null; readonly standard: number | null };
  readonly types: readonly {
    readonly type: string;
    readonly paused: boolean;
    readonly concurrency: number | null;
    readonly running: number;
    readonly zombies: number;
    readonly stopped: boolean;
  }[];
  readonly ended: { readonly succeeded: number; readonly dead: number; readonly cancelled: number };
  /** The stated bounds and their breach counters, which must stay zero. */
  readonly bounds: { readonly order: { readonly breaches: number }; readonly share: { readonly breaches: number } };
}

/** A live change; null resets an override. */
export interface QueuePatch extends Actor {
  readonly paused?: boolean | null;
  readonly slots?: number | null;
  readonly burst?: number | null;
  readonly share?: number | null;
  readonly steps?: { readonly standard?: DurationInput; readonly express?: DurationInput } | null;
}

export interface NextView {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly name: string | null;
  readonly weight: Weight;
  readonly effectiveWeight: number;
  readonly lane: Lane;
}

export interface SlotView {
  readonly queue: string;
  readonly kind: "base" | "burst" | "zombie";
  readonly task: string;
  readonly type: string;
  readonly name: string | null;
  readonly weight: Weight;
  readonly attempt: number;
  readonly startedAt: string;
  readonly timeoutAt: string | null;
  readonly settling: boolean;
}

export interface NodeView {
  readonly id: string;
  readonly label: string;
  readonly release: string;
  readonly alive: boolean;
  readonly self: boolean;
  readonly leader: boolean;
  readonly startedAt: string;
  readonly types: readonly string[];
}

/** What happens to tasks on this node, in order; `subscribe` and the async iterable deliver the same. */
export interface TaskEventView {
  /** Grows by one. */
  readonly n: number;
  readonly at: string;
  readonly kind:
    | "submitted"
    | "duplicate"
    | "started"
    | "succeeded"
    | "failed"
    | "retrying"
    | "timed_out"
    | "dead"
    | "cancelled"
    | "released"
    | "snoozed"
    | "lost"
    | "reweighted"
    | "edited"
    | "rerun"
    | "removed"
    | "progress"
    | "late_answer"
    | "rejected_late"
    | "queue_changed"
    | "type_stopped"
    | "lease_lost";
  readonly task: string | null;
  readonly type: string | null;
  readonly queue: string | null;
  readonly name: string | null;
  readonly weight: Weight | null;
  readonly attempt: number | null;
  /** What the kind adds: delay of a retry, nth, duration, error, before and after. */
  readonly data: Readonly<Record<string, Json>>;
}

export interface Scheduler {
  /** Opens the ledger, recovers what a dead node left, then begins to dispatch (C9). */
  start(): Promise<void>;
  /** Opens the ledger for submits and reads without dispatching: a submit-only client. Implied by `start`. */
  open(): Promise<void>;
  /** Graceful: takes nothing new, waits, aborts, releases, leaves (A20). Idempotent. */
  stop(options?: { readonly timeout?: DurationInput }): Promise<StopReport>;
  [Symbol.asyncDispose](): Promise<void>;
  /** Waits until nothing startable and nothing running is left on this node. */
  drain(): Promise<void>;

  submit(type: TypeRef, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer>;
  /** One answer per item, in order; an invalid item does not harm the others (V-31). */
  submitMany(items: readonly SubmitItem[]): Promise<readonly (SubmitAnswer | { readonly error: Error })[]>;
  /** Resolves with the result; rejects with `task_dead`, `task_cancelled`, `task_removed`, `result_timeout`, `task_not_found`. */
  result(id: string, options?: { readonly timeout?: DurationInput; readonly signal?: AbortSignal }): Promise<Json>;

  get(id: string): Promise<TaskView | null>;
  find(options?: FindOptions): Promise<Page<TaskView>>;
  history(id: string): Promise<HistoryView>;
  why(id: string): Promise<WhyView>;

  cancel(id: string, actor?: Actor): Promise<TaskView>;
  reweight(id: string, weight: WeightInput, actor?: Actor): Promise<TaskView>;
  edit(id: string, patch: EditPatch, actor?: Actor): Promise<TaskView>;
  rerun(id: string, options?: RerunOptions): Promise<{ readonly task: TaskView; readonly created: boolean }>;
  remove(id: string, actor?: Actor): Promise<void>;
  /** Dead letters that match go back to waiting; `matched` counts what the filter found. */
  redrive(
    filter: TaskFilter & { readonly ids?: readonly string[] },
    options?: RedriveOptions,
  ): Promise<{ readonly matched: number; readonly redriven: number }>;

  pause(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void>;
  resume(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void>;
  queues(): Promise<readonly QueueView[]>;
  queue(name: string): Promise<QueueView>;
  setQueue(name: string, patch: QueuePatch): Promise<QueueView>;
  /** The next tasks of a queue in exact start order (A14). Limit up to 1 000, default 20. */
  next(queue: string, limit?: number): Promise<readonly NextView[]>;
  slots(): readonly SlotView[];
  nodes(): Promise<readonly NodeView[]>;
  types(): readonly {
    readonly type: string;
    readonly queue: string;
    readonly derivesId: boolean;
    readonly concurrency: number | null;
    readonly timeout: number;
  }[];

  metrics(): Promise<Metrics>;
  stats(): Promise<Stats>;
  subscribe(listener: (event: TaskEventView) => void): () => void;
  events(options?: { readonly signal?: AbortSignal }): AsyncIterable<TaskEventView>;

  backup(target: string): Promise<{ readonly bytes: number }>;
  check(): Promise<readonly string[]>;
  health(): { readonly live: boolean; readonly ready: boolean; readonly reasons: readonly string[] };
  readonly nodeId: string;
}

export interface StopReport {
  readonly finished: number;
  readonly released: number;
  /** Handlers that still ran when the node left. */
  readonly abandoned: number;
}

/** The five figures of C16 and A13 in one object. */
export interface Stats {
  readonly backlog: number;
  readonly delayed: number;
  readonly running: number;
  readonly dead: number;
  readonly succeeded: number;
  readonly failed: number;
  /** 0 to 1 over this node's attempts; null before the first. */
  readonly successRate: number | null;
  readonly failureRate: number | null;
  /** ms, over this node's starts. */
  readonly meanWait: number | null;
  readonly meanRun: number | null;
  readonly meanScheduleDelay: number | null;
}

/** Metric families with the names of the interface reference, ready for any exporter. */
export interface Metrics {
  readonly families: readonly MetricFamily[];
}
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly MetricSample[];
}
export type MetricSample =
  | { readonly labels: Readonly<Record<string, string>>; readonly value: number }
  | {
      readonly labels: Readonly<Record<string, string>>;
      readonly buckets: readonly (readonly [le: number, count: number])[];
      readonly sum: number;
      readonly count: number;
    };

export type { AgingSteps, JsonText };
