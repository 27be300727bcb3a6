import {
  type Admission,
  type Clock,
  type Fence,
  type JsonText,
  type NodeId,
  type QueueName,
  type Random,
  type Rotation,
  type Settlement,
  START_OF_ROTATION,
  settleExpired,
  settleUnclaim,
  type TaskId,
  type TaskKey,
  type TaskRecord,
  type TypeName,
  type Weight,
} from "@giveway/kernel";
import type { ClaimedTask, ClaimRequest, TaskStore } from "@giveway/store";
import type { Logger, SlotView } from "../api.ts";
import type { CompiledConfig } from "../config/compile-config.ts";
import type { QueueSettings } from "../config/compiled.ts";
import { type Attempt, factsOf, type Moment, type SlotOwner, unstarted } from "../pools/attempt.ts";
import { AttemptRunner } from "../pools/attempt-runner.ts";
import { Finish, type FinishOwner } from "../pools/finish.ts";
import type { ContextPort } from "../pools/handler-context.ts";
import { TypePool } from "../pools/type-pool.ts";
import type { DispatchPort, EventSink, LocalFacts, Reservation, TypeState } from "../ports.ts";
import { ClaimsInDoubt } from "../recovery/claims-in-doubt.ts";
import type { TimerService } from "../time/timer-service.ts";
import { LedgerWatch } from "./ledger-watch.ts";
import { LiveSettings } from "./live-settings.ts";
import { QueueRuntime } from "./queue-runtime.ts";
import { inDoubt, SettleBuffer } from "./settle-buffer.ts";
import { localFacts, slotViews } from "./slot-views.ts";
import { StartBudget } from "./start-budget.ts";

export interface DispatcherDeps {
  readonly config: CompiledConfig;
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: EventSink;
  readonly timers: TimerService;
  /** Of the present incarnation. */
  readonly nodeId: () => NodeId;
  /** Whether the node may believe in its lease. */
  readonly leaseValid: () => boolean;
  readonly submit: ContextPort["submit"];
  /** The ledger can't go on. */
  readonly fatal: (error: Error) => void;
}

/**
 * Dispatch on one node: queues, types, handlers, and what they write, brought together. `QueueRuntime` tells how a queue decides, `SettleBuffer` how
 * ends reach the ledger, `AttemptRunner` how a handler runs; here is only what they share.
 *
 * A *turn* comes at most once per turn of the event loop, however often it is asked for: it sends the finishes of all handlers that settled since, and
 * the claims of all queues that have room, so that both share one commit.
 */
export class Dispatcher implements DispatchPort, FinishOwner {
  readonly #deps: DispatcherDeps;
  readonly #queues = new Map<QueueName, QueueRuntime>();
  readonly #pools = new Map<TypeName, TypePool>();
  readonly #watch: LedgerWatch;
  readonly #buffer: SettleBuffer;
  readonly #runner: AttemptRunner;
  readonly #settings: LiveSettings;
  readonly #doubt: ClaimsInDoubt;
  readonly #budget: StartBudget;
  #claimNo = 0;
  #dispatching = false;
  #turnAsked = false;
  #waiters: Waiter[] = [];
  #finished = 0;
  #released = 0;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const { clock, config, events, logger, random, store, timers } = deps;
    this.#budget = new StartBudget(clock, () => this.#requestTurn());
    this.#watch = new LedgerWatch({ clock, timers, logger, fatal: deps.fatal, resume: () => this.#requestTurn() });
    this.#buffer = new SettleBuffer({
      store,
      clock,
      events,
      watch: this.#watch,
      refusedStart: (attempt) => this.#refusedStart(attempt),
      answered: () => this.#activity(),
    });
    this.#runner = new AttemptRunner({
      clock,
      random,
      logger,
      timers,
      events,
      maxResult: config.maxPayload,
      submit: deps.submit,
      port: {
        conclude: (attempt, settlement, run) => this.#conclude(attempt, settlement, run),
        progressed: (attempt, progress) => this.#progressed(attempt, progress),
        ended: () => this.#requestTurn(),
      },
    });
    for (const compiled of config.types.values()) {
      this.#pools.set(compiled.type, new TypePool(compiled, clock.monotonic()));
    }
    for (const [name, settings] of config.queues) this.#queues.set(name, new QueueRuntime(settings, this.#nodePort()));
    this.#settings = new LiveSettings({
      store,
      config,
      timers,
      queues: this.#queues,
      pools: [...this.#pools.values()],
      failed: (error) => this.#watch.failed("look at the settings", error),
    });
    this.#settings.configurePools();
    this.#doubt = this.#doubtOf(store);
  }

  // --- Lifecycle ----------------------------------------------------------------------------------------------------------------

  /** From now on tasks are started. */
  begin(): void {
    this.#dispatching = true;
    this.lookAround();
  }

  /** From now on nothing new starts; what was claimed and not started goes back. */
  halt(): void {
    this.#dispatching = false;
    for (const queue of this.#queues.values()) queue.returnWindow();
    this.#requestTurn();
  }

  /** The ledger is lost: handlers are told, and nothing is written any more. */
  fail(): void {
    this.#dispatching = false;
    this.#watch.close();
    for (const attempt of this.running) this.#runner.shutDown(attempt);
    this.#activity();
  }

  /** A call beside the hot path failed. */
  ledgerFailed(error: unknown): void {
    this.#watch.failed("call", error);
  }

  /** Ends everything that would still wait or try again. */
  close(): void {
    this.#dispatching = false;
    this.#watch.close();
    for (const queue of this.#queues.values()) queue.close();
  }

  /** Handlers that hold a slot. */
  get running(): readonly Attempt[] {
    return [...this.#runner.live].filter(({ zombie }) => !zombie);
  }

  /** Handlers that go on after their end. */
  get zombies(): number {
    return this.#runner.live.size - this.running.length;
  }

  shutDown(attempt: Attempt): void {
    this.#runner.shutDown(attempt);
  }

  abandon(attempt: Attempt): void {
    this.#runner.abandon(attempt);
  }

  /** Resolves once the condition holds; it is looked at after everything that happens. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ condition, resolve }));
  }

  /** No handler runs, no claim or hand-off is under way. */
  get quiet(): boolean {
    if (this.running.length > 0) return false;
    for (const queue of this.#queues.values()) if (queue.claiming || queue.reserved > 0) return false;
    return true;
  }

  /** Attempts that ended since the start, as the ledger knows. */
  get ends(): { readonly finished: number; readonly released: number } {
    return { finished: this.#finished, released: this.#released };
  }

  /** Everything that happened is in the ledger. */
  get flushed(): boolean {
    return this.#buffer.empty;
  }

  /** Nothing startable and nothing running is left on this node. */
  get drained(): boolean {
    if (!this.quiet || !this.flushed || this.#doubt.raised) return false;
    if (!this.#dispatching) return true;
    for (const queue of this.#queues.values()) if (!queue.idle) return false;
    return true;
  }

  /** What keeps it from dispatching, beside its lease; null for nothing. */
  get trouble(): string | null {
    return this.#watch.trouble;
  }

  // --- News ---------------------------------------------------------------------------------------------------------------------

  /** There may be work and there may be other settings: at start, after a wake-up, with the safety poll. */
  lookAround(): void {
    for (const queue of this.#queues.values()) queue.suspect();
    this.#settings.refreshSoon();
    this.#turn();
  }

  /** The lease is lost: handlers are told, what lies claimed is let go of. The fence decides about their answers. */
  leaseLost(): void {
    for (const attempt of [...this.#runner.live]) this.#runner.stop(attempt, "lease_lost");
    for (const queue of this.#queues.values()) queue.returnWindow();
  }

  /** Another process cancelled or reweighted tasks that run here. */
  async signalled(ids: readonly TaskId[]): Promise<void> {
    for (const task of await this.#deps.store.get(ids)) {
      if (task === null) continue;
      if (task.state === "cancelled") this.changed(task, "cancelled");
      else this.changed(task, "reweighted");
    }
  }

  settled(finish: Finish, applied: boolean): void {
    const { queue: name, type, weight } = finish.facts;
    const queue = this.#queues.get(name);
    if (queue === undefined) return;
    queue.typeFreed(type);
    const { settlement } = finish;
    if (applied) this.#count(settlement);
    if (applied && settlement.state === "waiting") this.#waitsAgain(queue, weight, settlement.dueAt);
  }

  // --- DispatchPort -------------------------------------------------------------------------------------------------------------

  get dispatching(): boolean {
    return this.#dispatching;
  }

  reserve(name: QueueName, type: TypeName, weight: Weight): Reservation | null {
    const queue = this.#queues.get(name);
    const grant = queue?.reserve(type, weight) ?? null;
    if (queue === undefined || grant === null) return null;
    this.#claimNo += 1;
    return {
      claimNo: this.#claimNo,
      start: (task) => queue.startReserved(task, grant),
      release: (doubt = false) => {
        if (doubt) this.#doubt.raise();
        queue.dropReserved(grant);
      },
    };
  }

  inserting(name: QueueName): () => void {
    return this.#queues.get(name)?.inserting() ?? (() => undefined);
  }

  arrived(name: QueueName, weight: Weight, dueAt: number): void {
    const queue = this.#queues.get(name);
    if (queue === undefined || !this.#dispatching) return;
    this.#waitsAgain(queue, weight, dueAt);
  }

  changed(task: TaskRecord, kind: "cancelled" | "reweighted"): void {
    const attempt = this.running.find((each) => each.task.key === task.key);
    if (attempt !== undefined) {
      if (kind === "cancelled") this.#runner.stop(attempt, "cancelled");
      else attempt.reweight(task.weight);
      this.#requestTurn();
      return;
    }
    const queue = this.#queues.get(task.queue);
    const windowed = queue?.window.find(task.id) ?? null;
    if (queue === undefined || windowed === null) return;
    if (kind === "cancelled") queue.forget(task.id);
    else queue.reweight(windowed, task.weight);
  }

  settingsChanged(): Promise<void> {
    return this.#settings.refresh();
  }

  settingsOf(queue: QueueName): QueueSettings | null {
    return this.#queues.get(queue)?.settings ?? null;
  }

  queueNames(): readonly QueueName[] {
    return [...this.#queues.keys()];
  }

  typeState(type: TypeName): TypeState | null {
    const pool = this.#pools.get(type);
    if (pool === undefined) return null;
    const { compiled, paused, running, zombies, stopped, bound } = pool;
    return { compiled, paused, running, zombies, stopped, bound };
  }

  slots(): readonly SlotView[] {
    return slotViews(this.#runner.live, this.#deps.clock);
  }

  local(id: TaskId): LocalFacts | null {
    return localFacts(id, this.#runner.live, this.#queues, this.#deps.clock);
  }

  boundBreaches(queue: QueueName): { readonly order: number; readonly share: number } {
    const found = this.#queues.get(queue);
    return { order: found?.order.breaches ?? 0, share: found?.share.breaches ?? 0 };
  }

  pace(queue: QueueName): { readonly meanRun: number; readonly startsPerSecond: number } | null {
    return this.#queues.get(queue)?.pace ?? null;
  }

  rotation(queue: QueueName): Rotation {
    return this.#queues.get(queue)?.rotation ?? START_OF_ROTATION;
  }

  usage(name: QueueName): ReturnType<DispatchPort["usage"]> {
    const { express, standard, burst } = this.#queues.get(name)?.usage ?? { express: 0, standard: 0, burst: 0 };
    let zombies = 0;
    for (const { zombie, task } of this.#runner.live) if (zombie && task.queue === name) zombies += 1;
    return { express, standard, burst, zombies };
  }

  // --- Inside -------------------------------------------------------------------------------------------------------------------

  #nodePort(): ConstructorParameters<typeof QueueRuntime>[1] {
    const mayStart = (): boolean => this.#mayStart();
    const { timers } = this.#deps;
    return {
      get mayStart() {
        return mayStart();
      },
      pools: [...this.#pools.values()],
      poolOf: (type) => this.#pools.get(type),
      moment: () => this.#moment(),
      spend: () => this.#dispatching && this.#budget.spend(),
      requestTurn: () => this.#requestTurn(),
      claim: (queue, request, now) => this.#claim(queue, request, now),
      start: (task, weight, pool, owner, admission, at) => this.#start(task, weight, pool, owner, admission, at),
      giveBack: (tasks) => this.#giveBack(tasks),
      after: (ms, target) => timers.after(ms, target),
      cancel: (timer) => timers.cancel(timer),
      breached: (queue, part, detail) => this.#breached(queue, part, detail),
    };
  }

  #doubtOf(store: TaskStore): ClaimsInDoubt {
    return new ClaimsInDoubt({
      store,
      nodeId: this.#deps.nodeId,
      busy: () => [...this.#queues.values()].some(({ claiming, reserved }) => claiming || reserved > 0),
      knows: (key, fence) => this.#knows(key, fence),
      held: () => [...this.#queues.values()].reduce((sum, { window }) => sum + window.size, this.#runner.live.size),
      giveBack: (tasks) => this.#giveBack(tasks),
      failed: (error) => this.#watch.failed("look for lost claims", error),
    });
  }

  #knows(key: TaskKey, fence: Fence): boolean {
    for (const { task } of this.#runner.live) if (task.key === key && task.fence === fence) return true;
    if (this.#buffer.holds(key, fence)) return true;
    return [...this.#queues.values()].some(({ window }) => window.holds(key, fence));
  }

  #mayStart(): boolean {
    return this.#dispatching && !this.#watch.pausing && !this.#doubt.raised && this.#deps.leaseValid();
  }

  #moment(): Moment {
    const { clock } = this.#deps;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }

  #requestTurn(): void {
    if (this.#turnAsked) return;
    this.#turnAsked = true;
    this.#deps.clock.setImmediate(() => {
      this.#turnAsked = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#budget.renew();
    if (this.#doubt.raised) this.#resolveDoubt();
    // Before anything starts in this turn: what is recorded has run for one.
    if (this.#buffer.turned()) this.#requestTurn();
    for (const queue of this.#queues.values()) queue.pump();
    this.#buffer.flush();
    this.#activity();
  }

  #resolveDoubt(): void {
    void this.#doubt.resolve().then((resolved) => {
      if (resolved) this.#requestTurn();
    });
  }

  #activity(): void {
    if (this.#waiters.length === 0) return;
    const met = this.#waiters.filter(({ condition }) => condition());
    if (met.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => !met.includes(waiter));
    for (const { resolve } of met) resolve();
  }

  #claim(queue: QueueRuntime, request: Omit<ClaimRequest, "node" | "claimNo" | "now">, now: number): void {
    const { store, nodeId } = this.#deps;
    const node = nodeId();
    this.#claimNo += 1;
    // Finishes first, so that both go into one commit.
    this.#buffer.flush();
    store.claim({ ...request, node, claimNo: this.#claimNo, now }).then(
      (answer) => {
        this.#watch.succeeded();
        queue.answered(answer, request.lanes, node === nodeId());
        this.#activity();
      },
      (error: unknown) => {
        if (inDoubt(error)) this.#doubt.raise();
        queue.failed();
        this.#watch.failed("claim", error);
        this.#activity();
      },
    );
  }

  #start(task: ClaimedTask, weight: Weight, pool: TypePool, owner: SlotOwner, admission: Admission, at: Moment): void {
    const { expires } = task.overrides;
    if (expires !== undefined && expires <= at.now) {
      const facts = factsOf(task, task.attempt, weight);
      const settlement = settleExpired(unstarted(task, at.now));
      this.#buffer.add(new Finish({ claim: task, facts, settlement, run: 0 }, this));
      owner.vacated(admission);
      return;
    }
    const attempt = this.#runner.start(task, weight, pool, owner, admission, at);
    if (attempt.recorded) return;
    this.#buffer.started(attempt);
    this.#requestTurn();
  }

  #conclude(attempt: Attempt, settlement: Settlement, run: number): void {
    this.#buffer.add(new Finish({ claim: attempt.task, facts: attempt.facts(), settlement, run }, this));
    this.#queues.get(attempt.task.queue)?.ran(run);
  }

  #progressed(attempt: Attempt, progress: JsonText): void {
    this.#buffer.progressed(attempt, progress);
    this.#requestTurn();
  }

  #giveBack(tasks: readonly ClaimedTask[]): void {
    if (tasks.length === 0) return;
    const now = this.#deps.clock.now();
    for (const task of tasks) {
      const facts = factsOf(task, task.attempt, task.weight);
      const settlement = settleUnclaim(unstarted(task, now));
      this.#buffer.add(new Finish({ claim: task, facts, settlement, run: 0 }, this));
    }
    this.#requestTurn();
  }

  #waitsAgain(queue: QueueRuntime, weight: Weight, dueAt: number): void {
    if (!this.#dispatching) return;
    if (dueAt > this.#deps.clock.now()) {
      queue.dueAt(dueAt);
      return;
    }
    queue.arrived(weight);
    queue.pump();
  }

  /** A prefetched task was cancelled or taken over between its claim and the record of its start. */
  #refusedStart(attempt: Attempt): void {
    this.#deps.store.get([attempt.task.id]).then(
      ([task]) => {
        const cancelled = task !== null && task !== undefined && task.state === "cancelled";
        this.#runner.stop(attempt, cancelled ? "cancelled" : "lease_lost");
        this.#requestTurn();
      },
      (error: unknown) => this.#watch.failed("look at a refused start", error),
    );
  }

  #count({ event, outcome }: Settlement): void {
    if (event === "release") this.#released += 1;
    else if (outcome !== null && outcome !== "lost") this.#finished += 1;
  }

  #breached(queue: QueueRuntime, part: "order" | "share", detail: object): void {
    const { name } = queue.settings;
    this.#deps.logger.error(
      { event: "bound_breached", queue: name, part, ...detail },
      `the ${part} bound of queue ${name} was broken`,
    );
  }
}

interface Waiter {
  readonly condition: () => boolean;
  readonly resolve: () => void;
}
