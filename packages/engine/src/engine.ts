import { GivewayError, type NodeId, parseDuration, taskId, type WeightInput } from "@giveway/kernel";
import type {
  Actor,
  DurationInput,
  EditPatch,
  EngineOptions,
  FindOptions,
  HistoryView,
  Json,
  Metrics,
  NextView,
  NodeView,
  Page,
  QueuePatch,
  QueueView,
  RedriveOptions,
  RerunOptions,
  Scheduler,
  SlotView,
  Stats,
  StopReport,
  SubmitAnswer,
  SubmitItem,
  SubmitOptions,
  TaskEventView,
  TaskFilter,
  TaskView,
  TypeRef,
  WhyView,
} from "./api.ts";
import { Admin } from "./change/admin.ts";
import { type CompiledConfig, compileConfig } from "./config/compile-config.ts";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import { Shutdown } from "./dispatch/shutdown.ts";
import { Upkeep } from "./dispatch/upkeep.ts";
import { NodeLease } from "./leases/node-lease.ts";
import { EventHub } from "./observe/event-hub.ts";
import { KeyFigures } from "./observe/key-figures.ts";
import { LogLines } from "./observe/log-lines.ts";
import { MetricsCollector } from "./observe/metrics-collector.ts";
import { MetricsRegistry } from "./observe/metrics-registry.ts";
import type { EngineParts } from "./parts.ts";
import { guardStrayRejections } from "./pools/stray-rejections.ts";
import { LateAnswers } from "./read/late-answers.ts";
import { Reader } from "./read/reader.ts";
import { ResultWaiters } from "./read/result-waiters.ts";
import { TakeOver } from "./recovery/take-over.ts";
import { Submitter } from "./submit/submitter.ts";
import { type Timer, TimerService } from "./time/timer-service.ts";

/** Builds a scheduler from a store, a clock and the program's types. Nothing happens before `open` or `start`. Throws `invalid_config`. */
export function createEngine(options: EngineOptions): Scheduler {
  return new Engine(options);
}

type Phase = "new" | "open" | "running" | "stopping" | "stopped" | "failed";

/**
 * The composition root: makes the parts, ties them together, and leads them through start and stop. Everything else is theirs.
 *
 * Order of the start (C9): handlers are mapped when the engine is made; the ledger is opened; the node takes its lease; what dead nodes left is taken
 * over, the own previous incarnation among it; only then dispatch begins, and with it what fell due meanwhile.
 */
class Engine implements Scheduler {
  readonly #options: EngineOptions;
  readonly #config: CompiledConfig;
  readonly #timers: TimerService;
  readonly #hub: EventHub;
  readonly #dispatcher: Dispatcher;
  readonly #lease: NodeLease;
  readonly #takeOver: TakeOver;
  readonly #upkeep: Upkeep;
  readonly #submitter: Submitter;
  readonly #admin: Admin;
  readonly #reader: Reader;
  readonly #waiters: ResultWaiters;
  readonly #registry: MetricsRegistry;
  readonly #collector: MetricsCollector;
  readonly #figures: KeyFigures;
  #phase: Phase = "new";
  #opening: Promise<void> | null = null;
  #starting: Promise<void> | null = null;
  #stopping: Promise<StopReport> | null = null;
  #shutdown: Shutdown | null = null;
  #failure: Error | null = null;
  #pollTimer: Timer | null = null;
  #unguard: (() => void) | null = null;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { store, clock, random, logger } = options;
    const config = compileConfig(options);
    this.#config = config;
    this.#registry = new MetricsRegistry({ queues: config.queues.keys(), types: config.types.keys() }, () =>
      clock.monotonic(),
    );
    this.#timers = new TimerService({
      clock,
      measure: this.#registry,
      failed: (error) =>
        logger.error({ event: "timer_failed", err: error }, "a timer's work threw; the other timers go on"),
    });
    this.#hub = new EventHub({ logger });
    const lines = new LogLines(logger);
    this.#hub.consume((event) => lines.consume(event));
    this.#hub.consume((event) => this.#registry.consume(event));

    this.#lease = this.#leaseOf();
    this.#dispatcher = new Dispatcher({
      config,
      store,
      clock,
      random,
      logger,
      events: this.#hub,
      timers: this.#timers,
      nodeId: () => this.#lease.id,
      leaseValid: () => this.#lease.valid,
      submit: (type, payload, submit) => this.#submitter.submit(type, payload, submit),
      fatal: (error) => this.#fail(error),
    });
    this.#takeOver = new TakeOver({
      store,
      clock,
      config,
      events: this.#hub,
      logger,
      owner: this.#dispatcher,
      trusted: () => this.#lease.sound,
    });
    this.#upkeep = new Upkeep({
      store,
      clock,
      timers: this.#timers,
      logger,
      keep: config.keep,
      remember: config.remember,
    });

    const parts = this.#parts();
    this.#submitter = new Submitter(parts);
    this.#admin = new Admin(parts, this.#submitter);
    const lateAnswers = new LateAnswers();
    this.#hub.consume((event) => lateAnswers.consume(event));
    this.#reader = new Reader(parts, lateAnswers);
    this.#waiters = new ResultWaiters({ store, clock, hub: this.#hub });
    this.#collector = new MetricsCollector(parts, this.#registry);
    this.#figures = new KeyFigures({ collector: this.#collector, clock, logger, every: config.logFigures });
  }

  // --- Start and stop -----------------------------------------------------------------------------------------------------------

  open(): Promise<void> {
    if (this.#opening === null) {
      this.#opening = this.#open();
      // A ledger that could not be opened may be tried again.
      this.#opening.catch(() => {
        this.#opening = null;
      });
    }
    return this.#opening;
  }

  start(): Promise<void> {
    if (this.#starting === null) {
      this.#starting = this.#start();
      this.#starting.catch(() => {
        this.#starting = null;
      });
    }
    return this.#starting;
  }

  stop(options: { readonly timeout?: DurationInput } = {}): Promise<StopReport> {
    const { timeout } = options;
    if (this.#stopping === null) {
      this.#stopping = this.#stop(timeout === undefined ? this.#config.stopTimeout : parseDuration(timeout, "timeout"));
    } else if (timeout !== undefined) {
      this.#shutdown?.hurry(parseDuration(timeout, "timeout"));
    }
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async drain(): Promise<void> {
    this.#assertOpen();
    await this.#dispatcher.until(() => this.#dispatcher.drained || this.#failure !== null);
    if (this.#failure !== null) throw this.#failure;
  }

  health(): { readonly live: boolean; readonly ready: boolean; readonly reasons: readonly string[] } {
    const reasons: string[] = [];
    if (this.#failure !== null) reasons.push(`the ledger can't be used any more: ${this.#failure.message}`);
    else if (this.#phase !== "running") reasons.push(NOT_RUNNING[this.#phase]);
    else if (!this.#lease.valid)
      reasons.push("this node's lease has run out: nothing starts until the ledger takes a beat");
    const { trouble } = this.#dispatcher;
    if (trouble !== null) reasons.push(`the ledger refuses: ${trouble}`);
    return { live: this.#failure === null, ready: reasons.length === 0, reasons };
  }

  get nodeId(): string {
    return this.#lease.id;
  }

  // --- Work ---------------------------------------------------------------------------------------------------------------------

  async submit(type: TypeRef, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer> {
    this.#assertOpen();
    return this.#submitter.submit(type, payload, options);
  }

  async submitMany(items: readonly SubmitItem[]): Promise<readonly (SubmitAnswer | { readonly error: Error })[]> {
    this.#assertOpen();
    return this.#submitter.submitMany(items);
  }

  async result(
    id: string,
    options?: { readonly timeout?: DurationInput; readonly signal?: AbortSignal },
  ): Promise<Json> {
    this.#assertOpen();
    return this.#waiters.result(id, options);
  }

  // --- Reading ------------------------------------------------------------------------------------------------------------------

  async get(id: string): Promise<TaskView | null> {
    this.#assertOpen();
    return this.#reader.get(id);
  }
  async find(options?: FindOptions): Promise<Page<TaskView>> {
    this.#assertOpen();
    return this.#reader.find(options);
  }
  async history(id: string): Promise<HistoryView> {
    this.#assertOpen();
    return this.#reader.history(id);
  }
  async why(id: string): Promise<WhyView> {
    this.#assertOpen();
    return this.#reader.why(id);
  }
  async queues(): Promise<readonly QueueView[]> {
    this.#assertOpen();
    return this.#reader.queues();
  }
  async queue(name: string): Promise<QueueView> {
    this.#assertOpen();
    return this.#reader.queue(name);
  }
  async next(queue: string, limit?: number): Promise<readonly NextView[]> {
    this.#assertOpen();
    return this.#reader.next(queue, limit);
  }
  async nodes(): Promise<readonly NodeView[]> {
    this.#assertOpen();
    return this.#reader.nodes();
  }
  slots(): readonly SlotView[] {
    return this.#dispatcher.slots();
  }
  types(): ReturnType<Scheduler["types"]> {
    return [...this.#config.types.values()].map(({ type, queue, deriveId, concurrency, timeout }) => {
      return { type, queue, derivesId: deriveId !== null, concurrency, timeout };
    });
  }

  // --- Changes ------------------------------------------------------------------------------------------------------------------

  async cancel(id: string, actor?: Actor): Promise<TaskView> {
    this.#assertOpen();
    return this.#admin.cancel(id, actor);
  }
  async reweight(id: string, weight: WeightInput, actor?: Actor): Promise<TaskView> {
    this.#assertOpen();
    return this.#admin.reweight(id, weight, actor);
  }
  async edit(id: string, patch: EditPatch, actor?: Actor): Promise<TaskView> {
    this.#assertOpen();
    return this.#admin.edit(id, patch, actor);
  }
  async rerun(id: string, options?: RerunOptions): Promise<{ readonly task: TaskView; readonly created: boolean }> {
    this.#assertOpen();
    return this.#admin.rerun(id, options);
  }
  async remove(id: string, actor?: Actor): Promise<void> {
    this.#assertOpen();
    return this.#admin.remove(id, actor);
  }
  async redrive(
    filter: TaskFilter & { readonly ids?: readonly string[] },
    options?: RedriveOptions,
  ): Promise<{ readonly matched: number; readonly redriven: number }> {
    this.#assertOpen();
    return this.#admin.redrive(filter, options);
  }
  async pause(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void> {
    this.#assertOpen();
    return this.#admin.pause(target, actor);
  }
  async resume(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void> {
    this.#assertOpen();
    return this.#admin.resume(target, actor);
  }
  async setQueue(name: string, patch: QueuePatch): Promise<QueueView> {
    this.#assertOpen();
    await this.#admin.setQueue(name, patch);
    return this.#reader.queue(name);
  }

  // --- Observation and upkeep ---------------------------------------------------------------------------------------------------

  async metrics(): Promise<Metrics> {
    this.#assertOpen();
    return this.#collector.metrics();
  }
  async stats(): Promise<Stats> {
    this.#assertOpen();
    return this.#collector.stats();
  }
  subscribe(listener: (event: TaskEventView) => void): () => void {
    return this.#hub.subscribe(listener);
  }
  events(options?: { readonly signal?: AbortSignal }): AsyncIterable<TaskEventView> {
    return this.#hub.events(options);
  }
  async backup(target: string): Promise<{ readonly bytes: number }> {
    this.#assertOpen();
    return this.#options.store.backup(target);
  }
  async check(): Promise<readonly string[]> {
    this.#assertOpen();
    return this.#options.store.check();
  }

  // --- Inside -------------------------------------------------------------------------------------------------------------------

  #parts(): EngineParts {
    const { store, clock, random } = this.#options;
    const nodeId = (): NodeId => this.#lease.id;
    return {
      config: this.#config,
      store,
      clock,
      random,
      dispatch: this.#dispatcher,
      sink: this.#hub,
      // A node that was declared dead goes on under a fresh id.
      get nodeId() {
        return nodeId();
      },
    };
  }

  #leaseOf(): NodeLease {
    const { store, clock, random, logger } = this.#options;
    const { label, release, types } = this.#config;
    return new NodeLease({
      store,
      clock,
      random,
      timers: this.#timers,
      logger,
      label,
      release,
      types: [...types.keys()],
      signalled: (signals) => {
        if (signals.some(({ kind }) => kind === "drain")) this.#dispatcher.halt();
        const ids = signals.flatMap(({ id }) => (id === null ? [] : [taskId(id)]));
        if (ids.length > 0) this.#dispatcher.signalled(ids).catch(this.#upkeepFailed);
      },
      lost: () => {
        this.#hub.emit({ kind: "lease_lost", at: clock.now(), task: null });
        this.#dispatcher.leaseLost();
      },
      regained: () => this.#dispatcher.lookAround(),
      beaten: () => void this.#takeOver.sweep().catch(this.#upkeepFailed),
      failed: this.#upkeepFailed,
    });
  }

  readonly #upkeepFailed = (error: unknown): void => this.#dispatcher.ledgerFailed(error);

  async #open(): Promise<void> {
    if (this.#stopping !== null) throw stopped();
    const { store } = this.#options;
    store.listen({
      wake: () => this.#woken(),
      fatal: (error) => this.#fail(error),
      committed: (operations, ms) => this.#registry.committed(operations, ms),
    });
    await store.open();
    await this.#dispatcher.settingsChanged();
    if (this.#stopping !== null) throw stopped();
    this.#phase = "open";
    this.#poll();
  }

  async #start(): Promise<void> {
    if (this.#stopping !== null) throw stopped();
    await this.open();
    this.#unguard ??= guardStrayRejections();
    await this.#lease.take();
    await this.#takeOver.sweep();
    if (this.#stopping !== null) throw stopped();
    if (this.#failure !== null) throw this.#failure;
    this.#phase = "running";
    this.#upkeep.start();
    this.#figures.start();
    this.#dispatcher.begin();
  }

  async #stop(timeout: number): Promise<StopReport> {
    const { clock, logger } = this.#options;
    if (this.#opening === null) {
      this.#phase = "stopped";
      return { finished: 0, released: 0, abandoned: 0 };
    }
    if (this.#phase !== "failed") this.#phase = "stopping";
    const ledgerLost = (): boolean => this.#failure !== null;
    const { dispatcher, timers } = { dispatcher: this.#dispatcher, timers: this.#timers };
    this.#shutdown = new Shutdown({ dispatcher, clock, timers, logger, ledgerLost, timeout });
    // The first step runs in the call itself: from here on nothing starts.
    const ending = this.#shutdown.run();
    await Promise.allSettled([this.#opening, this.#starting]);
    const report = await ending;
    await this.#leave();
    this.#phase = this.#failure === null ? "stopped" : "failed";
    return report;
  }

  /** Everything is written: lets go of the ledger, of whoever waits, of every timer. A step that fails keeps none of the others from happening. */
  async #leave(): Promise<void> {
    const { store } = this.#options;
    this.#admin.close();
    this.#figures.stop();
    this.#upkeep.close();
    this.#dispatcher.close();
    this.#lease.close();
    await this.#atMost("the submits under way", this.#submitter.idle(), LAST_CALLS);
    if (this.#failure === null) await this.#atMost("the node's leave", store.forget(this.#lease.id), LAST_CALLS);
    await this.#atMost("the close", store.close(), LAST_CALLS);
    this.#waiters.close(stopped());
    this.#hub.close();
    this.#timers.close();
    this.#unguard?.();
  }

  /** What the ledger doesn't answer in time can't keep the host program from ending. */
  async #atMost(what: string, call: Promise<unknown>, ms: number): Promise<void> {
    const { logger } = this.#options;
    try {
      await new Promise((resolve, reject) => {
        const late = (): void => reject(new Error(`no answer within ${ms} ms`));
        const timer = this.#timers.after(ms, { timerFired: late });
        call.then(resolve, reject).finally(() => this.#timers.cancel(timer));
      });
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      logger.warn({ event: "left_uncleanly", step: what, err: error }, `the scheduler ends without ${what}: ${said}`);
    }
  }

  /** A jittered look at the ledger makes up for lost wake-ups (V-14). */
  #poll(): void {
    const { store, random } = this.#options;
    const { poll } = store.features;
    if (poll === 0 || this.#stopping !== null) return;
    this.#pollTimer = this.#timers.after(poll * (0.9 + 0.2 * random()), {
      timerFired: () => {
        this.#woken();
        this.#poll();
      },
    });
  }

  #woken(): void {
    this.#dispatcher.lookAround();
    this.#waiters.wake();
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#phase = "failed";
    this.#options.logger.error(
      { event: "ledger_lost", err: error },
      `the ledger can't be used any more, the scheduler stops: ${error.message}`,
    );
    this.#timers.cancel(this.#pollTimer);
    this.#lease.close();
    this.#dispatcher.fail();
  }

  #assertOpen(): void {
    switch (this.#phase) {
      case "open":
      case "running":
      case "stopping":
        return;
      case "new":
        throw new GivewayError("not_started", "the scheduler is not open yet: await open() or start() first");
      case "stopped":
        throw stopped();
      case "failed":
        throw this.#failure ?? stopped();
    }
  }
}

/** How long the last calls to the ledger may take, ms each. */
const LAST_CALLS = 5_000;

const NOT_RUNNING: Readonly<Record<Exclude<Phase, "running">, string>> = {
  new: "not started",
  open: "not started: takes submits, dispatches nothing",
  stopping: "stopping",
  stopped: "stopped",
  failed: "the ledger is lost",
};

function stopped(): GivewayError {
  return new GivewayError("stopped", "the scheduler has stopped; create a new one");
}
