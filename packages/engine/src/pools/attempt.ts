import { type Admission, GivewayError, type LogLine, type RunFacts, type Weight } from "@giveway/kernel";
import type { ClaimedTask } from "@giveway/store";
import type { TaskFacts } from "../ports.ts";
import type { Timer, TimerTarget } from "../time/timer-service.ts";
import type { AttemptLog } from "./attempt-log.ts";
import type { StrayOwner } from "./stray-rejections.ts";
import type { TypePool } from "./type-pool.ts";

/** Why a handler was told to stop; null while nobody told it. */
export type StopCause = "timed_out" | "cancelled" | "lease_lost" | "shutting_down";

/** The queue's side of an attempt: whom its slot goes back to. */
export interface SlotOwner {
  vacated(admission: Admission): void;
}

/** Who is told of what happens to an attempt beside its handler's answer. */
export interface AttemptPort {
  /** Its timer fired: time-out, or the end of its grace. */
  timeUp(attempt: Attempt): void;
  /** A promise that its handler left behind rejected and nobody handled it. */
  strayRejection(attempt: Attempt, reason: unknown): void;
}

/**
 * One start of a handler, from its slot to the moment the handler settles. It holds a slot of its queue and a permit of its type; the slot goes
 * back when the handler settles or its grace ends, the permit only when it settles.
 */
export class Attempt implements TimerTarget, StrayOwner {
  readonly task: ClaimedTask;
  readonly pool: TypePool;
  readonly owner: SlotOwner;
  readonly admission: Admission;
  /** 1 for the first start. */
  readonly number: number;
  /** ms since 1970. */
  readonly startedAt: number;
  /** The same moment on the monotonic clock. */
  readonly begun: number;
  /** ms. */
  readonly timeout: number;
  #weight: Weight;
  #facts: TaskFacts | null = null;
  /** The ledger knows of its start: recorded by the claim, or by a mark since. */
  recorded: boolean;
  cause: StopCause | null = null;
  /** Its end is in the ledger, or on its way there. */
  over = false;
  /** Its grace ended and the handler goes on: the slot was given back. */
  zombie = false;
  /** The handler settled. */
  settled = false;
  /** ms that `ctx.snooze` asked for. */
  snooze: number | null = null;
  timer: Timer | null = null;
  /** On the monotonic clock. */
  timeoutAt: number;
  log: AttemptLog | null = null;
  #controller: AbortController | null = null;
  #reason: GivewayError | null = null;
  readonly #port: AttemptPort;

  constructor(
    task: ClaimedTask,
    pool: TypePool,
    owner: SlotOwner,
    admission: Admission,
    port: AttemptPort,
    at: Moment,
  ) {
    this.task = task;
    this.pool = pool;
    this.owner = owner;
    this.admission = admission;
    this.#port = port;
    this.number = task.started ? task.attempt : task.attempt + 1;
    this.recorded = task.started;
    this.#weight = task.weight;
    this.startedAt = at.now;
    this.begun = at.monotonic;
    this.timeout = task.overrides.timeout ?? pool.compiled.timeout;
    this.timeoutAt = at.monotonic + this.timeout;
  }

  /** How long it may go on after it was told to stop: min(5 s, time-out). */
  get grace(): number {
    return Math.min(MAX_GRACE, this.timeout);
  }

  /** Made at the first use: most handlers never look at it. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#reason !== null) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get reason(): GivewayError | null {
    return this.#reason;
  }

  /** Tells the handler to stop, once: a later cause changes what is made of its answer, not what it was told. */
  stop(cause: StopCause): void {
    this.cause = cause;
    if (this.#reason !== null) return;
    this.#reason = reasonOf(cause, this);
    this.#controller?.abort(this.#reason);
  }

  timerFired(): void {
    this.timer = null;
    this.#port.timeUp(this);
  }

  strayRejection(reason: unknown): void {
    this.#port.strayRejection(this, reason);
  }

  get lines(): readonly LogLine[] {
    return this.log === null ? NO_LINES : this.log.lines();
  }

  get weight(): Weight {
    return this.#weight;
  }

  reweight(weight: Weight): void {
    if (weight === this.#weight) return;
    this.#weight = weight;
    this.#facts = null;
  }

  facts(): TaskFacts {
    this.#facts ??= factsOf(this.task, this.number, this.#weight);
    return this.#facts;
  }

  /** What the kernel's settle decisions need of it. */
  run(now: number): RunFacts {
    const { failures, losses, noPrefetch, dueAt, checkpoint } = this.task;
    return {
      attempt: this.number,
      started: true,
      failures,
      losses,
      noPrefetch,
      dueAt,
      startedAt: this.startedAt,
      now,
      log: this.lines,
      checkpoint,
    };
  }
}

/** One moment on both clocks. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

const MAX_GRACE = 5_000;
const NO_LINES: readonly LogLine[] = [];

/** What the kernel needs of a task that was claimed and whose handler was not called: as if a start recorded with the claim had never been. */
export function unstarted(task: ClaimedTask, now: number): RunFacts {
  return {
    attempt: task.started ? task.attempt - 1 : task.attempt,
    started: false,
    failures: task.failures,
    losses: task.losses,
    noPrefetch: task.noPrefetch,
    dueAt: task.dueAt,
    startedAt: null,
    now,
    log: NO_LINES,
    checkpoint: task.checkpoint,
  };
}

export function factsOf(task: ClaimedTask, attempt: number, weight: Weight): TaskFacts {
  return { key: task.key, id: task.id, type: task.type, queue: task.queue, name: task.name, weight, attempt };
}

function reasonOf(cause: StopCause, attempt: Attempt): GivewayError {
  const { id } = attempt.task;
  const subject = { subject: id };
  switch (cause) {
    case "timed_out":
      return new GivewayError("timed_out", `task ${id} ran for ${attempt.timeout} ms, as long as it may`, subject);
    case "cancelled":
      return new GivewayError("task_cancelled", `task ${id} was cancelled`, subject);
    case "lease_lost":
      return new GivewayError(
        "lease_lost",
        `this node's lease on task ${id} ran out: another node may run it`,
        subject,
      );
    case "shutting_down":
      return new GivewayError("shutting_down", `this node stops; task ${id} will be started anew`, subject);
  }
}
