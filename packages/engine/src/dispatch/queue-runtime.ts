import {
  type Admission,
  admit,
  afterStart,
  type Lane,
  laneUnder,
  OrderChecker,
  planClaim,
  prefetchFor,
  type Rotation,
  ShareChecker,
  START_OF_ROTATION,
  type TaskId,
  type TypeName,
  type Waiting,
  type Weight,
} from "@giveway/kernel";
import type { ClaimAnswer, ClaimedTask, ClaimLane, ClaimRequest } from "@giveway/store";
import type { QueueSettings } from "../config/compiled.ts";
import type { Moment, SlotOwner } from "../pools/attempt.ts";
import type { StreamGate, TypePool } from "../pools/type-pool.ts";
import type { Timer, TimerTarget } from "../time/timer-service.ts";
import { openTypes } from "./open-types.ts";
import { RateMeter } from "./rate-meter.ts";
import { type Grant, type Grants, grantsFor, noGrants } from "./reservations.ts";
import { Window } from "./window.ts";

/** What a queue needs of the node. */
export interface NodePort {
  /** Whether anything may start now: dispatching, not stopping, lease in force, ledger well. Looks at the clock. */
  readonly mayStart: boolean;
  readonly pools: Iterable<TypePool>;
  poolOf(type: TypeName): TypePool | undefined;
  moment(): Moment;
  /** False once enough was started in this turn of the event loop (a turn is then asked for), or once the node stopped starting. */
  spend(): boolean;
  /** Come back once the event loop has turned. */
  requestTurn(): void;
  claim(queue: QueueRuntime, request: Omit<ClaimRequest, "node" | "claimNo" | "now">, now: number): void;
  start(task: ClaimedTask, weight: Weight, pool: TypePool, owner: SlotOwner, admission: Admission, at: Moment): void;
  /** Claimed and not started: back to its place. */
  giveBack(tasks: readonly ClaimedTask[]): void;
  after(ms: number, target: TimerTarget): Timer;
  cancel(timer: Timer | null): void;
  breached(queue: QueueRuntime, part: "order" | "share", detail: object): void;
}

/** Unstarted for so long, a prefetched task goes back, ms. */
export const PREFETCH_TIME = 1_000;
/** The first pause after a claim that found work and could take none, ms; it doubles up to the longest. */
const BARREN_PAUSE = 10;
const BARREN_LONGEST = 1_000;

/**
 * # How one queue dispatches
 *
 * The queue keeps, per lane, whether the ledger may have startable work: *known* from claim answers and this process's own submits, *suspected*
 * after a wake-up, a due time, a resume, or when a type has room again. A claim is asked when a flag says so and a slot or room in the window is
 * free; one at a time. It reserves the slots of what will start at once. Its answer confirms or clears what was known; until then that stands.
 *
 * What starts next is always the kernel's `admit`: it is asked with what is known to wait, starts from the window in exact order, and where it names
 * a lane whose work lies in the ledger, the slot stays free for the claim. Suspicion alone makes no windowed task wait.
 */
export class QueueRuntime implements SlotOwner, StreamGate {
  readonly order = new OrderChecker();
  readonly share = new ShareChecker();
  readonly #port: NodePort;
  readonly #window: Window;
  readonly #usage = { express: 0, standard: 0, burst: 0 };
  readonly #rate: RateMeter;
  #settings: QueueSettings;
  #rotation: Rotation = START_OF_ROTATION;
  #known = { express: false, standard: false };
  /** What became known since the claim under way was asked: its answer may not tell of it. */
  #noted = { express: false, standard: false };
  #suspected = false;
  /** A type has room again whose work the last claim left. */
  #reopened = false;
  readonly #full = new Set<TypeName>();
  /** Work came that may have to pass what lies in the window. */
  #fresh = false;
  #claiming = false;
  #grants: Grants = noGrants();
  #reserved = 0;
  #inserts = 0;
  #pumping = false;
  #again = false;
  #barren = 0;
  #barrenTimer: Timer | null = null;
  #dueTimer: Timer | null = null;
  #dueAt = Number.POSITIVE_INFINITY;
  #returnTimer: Timer | null = null;
  #meanRun: number | null = null;

  constructor(settings: QueueSettings, port: NodePort) {
    this.#settings = settings;
    this.#port = port;
    this.#window = new Window(settings.lanes);
    this.#rate = new RateMeter(port.moment().monotonic);
    for (const pool of port.pools) pool.attach(this);
  }

  get settings(): QueueSettings {
    return this.#settings;
  }
  get usage(): { readonly express: number; readonly standard: number; readonly burst: number } {
    return this.#usage;
  }
  get rotation(): Rotation {
    return this.#rotation;
  }
  get window(): Window {
    return this.#window;
  }
  get claiming(): boolean {
    return this.#claiming;
  }
  get pace(): { readonly meanRun: number; readonly startsPerSecond: number } | null {
    if (this.#meanRun === null) return null;
    return { meanRun: this.#meanRun, startsPerSecond: this.#rate.perSecond(this.#port.moment().monotonic) };
  }
  /** Nothing is startable, claimed or reserved: what runs is another question. */
  get idle(): boolean {
    if (this.#claiming || this.#reserved > 0 || this.#window.size > 0) return false;
    return this.#settings.paused || !this.#mayHaveWork;
  }
  /** Slots set aside for inserts under way. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Settings in force from now on; nothing that runs is touched. */
  configure(settings: QueueSettings): void {
    const wasPaused = this.#settings.paused;
    this.#settings = settings;
    this.#window.configure(settings.lanes);
    if (settings.paused) this.returnWindow();
    else if (wasPaused) this.suspect();
    this.#port.requestTurn();
  }

  /** Ready work of this weight is in the ledger. */
  arrived(weight: Weight): void {
    const lane = this.#laneOf(weight);
    this.#known[lane] = true;
    this.#noted[lane] = true;
    this.#fresh = true;
    this.#forgive();
  }

  /** There may be work in any lane. */
  suspect(): void {
    this.#suspected = true;
    this.#fresh = true;
    this.#forgive();
  }

  /** Something is delayed until `at`, ms since 1970. */
  dueAt(at: number): void {
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    this.#armDue();
  }

  /** One that lies here was cancelled: the ledger has ended it. */
  forget(id: TaskId): void {
    this.#window.removeWhere((task) => task.id === id);
  }

  /** One that lies here, at another weight; where that changes its lane it goes back for a new place. */
  reweight(task: ClaimedTask, weight: Weight): void {
    const keeps = this.#laneOf(task.weight) === this.#laneOf(weight);
    if (keeps) this.#window.reweight(task.id, weight);
    // At its new weight: that is the lane in which the ledger has work then.
    else this.#port.giveBack(this.#window.removeWhere(({ id }) => id === task.id).map((each) => ({ ...each, weight })));
  }

  /** A permit of the type came free in the ledger. */
  typeFreed(type: TypeName): void {
    if (!this.#full.delete(type)) return;
    this.#reopened = true;
    this.#port.requestTurn();
  }

  closeStream(type: TypeName): void {
    this.#window.close(type);
  }

  openStream(type: TypeName): void {
    this.#window.open(type);
    this.typeFreed(type);
    if (this.#window.sizeOfType(type) > 0) this.#port.requestTurn();
  }

  vacated(admission: Admission): void {
    this.#vacate(admission);
    if (this.#pumping) this.#again = true;
    else this.#startOnly();
    this.#port.requestTurn();
  }

  ran(ms: number): void {
    this.#rate.count();
    this.#meanRun = this.#meanRun === null ? ms : this.#meanRun + (ms - this.#meanRun) / 10;
  }

  /** Starts what may start, and asks for more. */
  pump(): void {
    if (this.#pumping) {
      this.#again = true;
      return;
    }
    this.#pumping = true;
    try {
      do {
        this.#again = false;
        this.#startWindow();
        if (this.#ask()) this.#startWindow();
      } while (this.#again);
    } finally {
      this.#pumping = false;
    }
  }

  /**
   * The straight hand-off (section 11): a slot for a task about to be inserted, where the last claim came back short, nothing woke the queue since,
   * and the kernel would start it now. A type with a bound for the whole ledger goes through the ledger, which alone can count.
   */
  reserve(type: TypeName, weight: Weight): Grant | null {
    const pool = this.#port.poolOf(type);
    if (pool === undefined || !pool.open || pool.compiled.concurrency !== null) return null;
    if (this.#inserts > 0 || this.#settings.paused || this.#claiming || this.#mayHaveWork || this.#window.size > 0)
      return null;
    if (!this.#port.mayStart || pool.room <= this.#reserved) return null;
    const lane = this.#laneOf(weight);
    const waiting: Waiting = { express: lane === "express", standard: lane === "standard" };
    const admission = admit(this.#settings, this.#usage, waiting, this.#rotation);
    if (admission === null) return null;
    this.#occupy(admission);
    this.#reserved += 1;
    return { turn: 0, admission, usage: { ...this.#usage }, waiting };
  }

  /** A task is on its way into the ledger that nothing submitted later may pass. */
  inserting(): () => void {
    this.#inserts += 1;
    let done = false;
    return () => {
      if (done) return;
      done = true;
      this.#inserts -= 1;
    };
  }

  /** The insert handed it over. */
  startReserved(task: ClaimedTask, grant: Grant): void {
    this.#reserved -= 1;
    if (!this.#port.mayStart) {
      this.#vacate(grant.admission);
      this.#port.giveBack([task]);
      return;
    }
    this.#started(task, task.weight, grant, this.#port.moment());
  }

  dropReserved(grant: Grant): void {
    this.#reserved -= 1;
    this.vacated(grant.admission);
  }

  /** The ledger answered to what `asked` says; `current` is false where this node's lease was lost meanwhile. */
  answered(answer: ClaimAnswer, asked: readonly ClaimLane[], current: boolean): void {
    const grants = this.#endClaim();
    if (!current || !this.#port.mayStart || this.#settings.paused) {
      for (const grant of [...grants.express, ...grants.standard]) this.#vacate(grant.admission);
      this.#port.giveBack(answer.tasks);
      this.#suspected = true;
      return;
    }
    this.#note(answer, asked);
    this.#pumping = true;
    try {
      this.#admitAnswer(answer.tasks, grants);
      this.#startWindow();
    } finally {
      this.#pumping = false;
    }
    this.pump();
  }

  /** No answer came; the flags stay up, so it is asked again once the ledger is well. */
  failed(): void {
    const grants = this.#endClaim();
    for (const grant of [...grants.express, ...grants.standard]) this.#vacate(grant.admission);
    this.#suspected = true;
  }

  /** Everything claimed and not started goes back to its place. */
  returnWindow(): void {
    this.#port.giveBack(this.#window.removeWhere(() => true));
  }

  /** What was claimed of types that are paused since goes back. */
  returnPaused(): void {
    this.#port.giveBack(this.#window.removeWhere(({ type }) => this.#port.poolOf(type)?.paused === true));
  }

  /** Ends its timers. */
  close(): void {
    for (const timer of [this.#barrenTimer, this.#dueTimer, this.#returnTimer]) this.#port.cancel(timer);
  }

  get #mayHaveWork(): boolean {
    return this.#known.express || this.#known.standard || this.#suspected || this.#reopened;
  }

  #laneOf(weight: Weight): Lane {
    return laneUnder(this.#settings.policy, weight);
  }

  #startOnly(): void {
    this.#pumping = true;
    try {
      do {
        this.#again = false;
        this.#startWindow();
      } while (this.#again);
    } finally {
      this.#pumping = false;
    }
  }

  #startWindow(): void {
    if (this.#window.size === 0 || this.#settings.paused || !this.#port.mayStart) return;
    const at = this.#port.moment();
    for (;;) {
      // Work that the last claim found and could take none of must not hold up what lies here.
      const ledger = this.#barren === 0;
      const waiting = {
        express: (ledger && this.#known.express) || this.#window.startable("express"),
        standard: (ledger && this.#known.standard) || this.#window.startable("standard"),
      };
      const admission = admit(this.#settings, this.#usage, waiting, this.#rotation);
      if (admission === null || !this.#port.spend()) return;
      const { lane } = admission;
      const taken = this.#window.take(lane, at.now);
      // Its work lies in the ledger: the slot is kept for the claim that brings it.
      if (taken === null) return;
      const breach = this.#window.check(lane, taken.task, this.order);
      if (breach !== null) this.#port.breached(this, "order", { id: taken.task.id, until: breach.until });
      this.#occupy(admission);
      this.#started(taken.task, taken.weight, { turn: 0, admission, usage: this.#usage, waiting }, at);
    }
  }

  #started(task: ClaimedTask, weight: Weight, { admission, usage, waiting }: Grant, at: Moment): void {
    const pool = this.#port.poolOf(task.type);
    if (pool === undefined) {
      this.#vacate(admission);
      this.#port.giveBack([task]);
      return;
    }
    this.#rotation = afterStart(this.#rotation, admission, waiting, this.#settings);
    const breach = this.share.check(this.#settings, usage, waiting, admission);
    if (breach !== null) this.#port.breached(this, "share", { breach, id: task.id, usage: { ...usage }, waiting });
    this.#port.start(task, weight, pool, this, admission, at);
  }

  /** Asks the ledger where a flag says so and there is room. Answers whether it asked. */
  #ask(): boolean {
    if (this.#claiming || !this.#mayHaveWork || this.#settings.paused || !this.#port.mayStart) return false;
    const { now, monotonic } = this.#port.moment();
    const prefetch = prefetchFor(this.#rate.perSecond(monotonic));
    // A type that has room again is worth a claim only once the window has drained by half: it would bring a handful each turn otherwise.
    const half = this.#window.size <= prefetch / 2;
    if (!this.#known.express && !this.#known.standard && !this.#suspected && !half) return false;
    const ledger = this.#ledgerMayHave();
    const windowed = { express: this.#window.waiting("express"), standard: this.#window.waiting("standard") };
    const decided = planClaim(this.#settings, this.#usage, ledger, this.#rotation, prefetch, windowed);
    const plan = this.#fresh ? this.#widened(decided, ledger, prefetch) : decided;
    if (plan === null) return false;
    const direct = plan.express.direct + plan.standard.direct;
    if (direct === 0 && !half && !this.#fresh) return false;
    if (this.#barren > 0 && (direct === 0 || this.#barrenTimer !== null)) return false;

    const most = plan.express.limit + plan.standard.limit;
    const { types, closed } = openTypes(this.#port.pools, (type) => this.#window.sizeOfType(type), most, monotonic);
    this.#full.clear();
    for (const type of closed) this.#full.add(type);
    this.#suspected = false;
    this.#reopened = false;
    this.#fresh = false;
    this.#noted = { express: false, standard: false };
    if (types.length === 0) {
      this.#known = { express: false, standard: false };
      return false;
    }
    this.#claiming = true;
    this.#grants = grantsFor(plan, this.#settings, this.#usage, ledger, this.#rotation, windowed);
    for (const grant of [...this.#grants.express, ...this.#grants.standard]) this.#occupy(grant.admission);
    const planned = this.#settings.lanes.map((order) => ({ order, ...plan[order.lane] }));
    const contended = ledger.express && ledger.standard && types.some(({ bound }) => bound !== null);
    const lanes = contended && direct > 0 ? withoutPrefetch(planned) : planned;
    this.#port.claim(this, { queue: this.#settings.name, types, lanes }, now);
    return true;
  }

  #ledgerMayHave(): Waiting {
    const unsure = this.#suspected || this.#reopened;
    const express = this.#settings.lanes.some(({ lane }) => lane === "express");
    return { express: express && (this.#known.express || unsure), standard: this.#known.standard || unsure };
  }

  /**
   * A newcomer may be heavier than what lies in the window: without room for it, a claim still looks for as many as there are slots, so that it
   * starts in its turn and not behind the window. Bounded, since newcomers may keep coming.
   */
  #widened(plan: ReturnType<typeof planClaim>, ledger: Waiting, prefetch: number): ReturnType<typeof planClaim> {
    const { slots } = this.#settings;
    if (this.#window.size === 0 || this.#window.size > 2 * prefetch + slots) return plan;
    const base = plan ?? { express: { limit: 0, direct: 0 }, standard: { limit: 0, direct: 0 } };
    const widen = (lane: Lane): { readonly limit: number; readonly direct: number } => {
      const { limit, direct } = base[lane];
      return ledger[lane] ? { limit: Math.max(limit, direct + slots), direct } : base[lane];
    };
    return { express: widen("express"), standard: widen("standard") };
  }

  #endClaim(): Grants {
    const grants = this.#grants;
    this.#claiming = false;
    this.#grants = noGrants();
    return grants;
  }

  /** Takes over what the answer says about the ledger. What was noted since the claim was asked stays noted. */
  #note(answer: ClaimAnswer, asked: readonly ClaimLane[]): void {
    const { left, full, nextDueAt, overtakenUntil, tasks } = answer;
    for (const type of full) this.#full.add(type);
    // Until now what was known stood: work that the claim looks for waits just the same.
    this.#known = { express: left.express || this.#noted.express, standard: left.standard || this.#noted.standard };
    const { now } = this.#port.moment();
    const moreDue = nextDueAt !== null && nextDueAt <= now;
    if (nextDueAt !== null && !moreDue) this.dueAt(nextDueAt);
    // Due by now, be it that it fell due after the claim was asked or that the claim moved a full page.
    if (moreDue) this.#suspected = true;
    for (const { lane } of this.#settings.lanes) {
      const claimed = tasks.filter((task) => this.#laneOf(task.weight) === lane);
      const broken = this.order.checkClaim(claimed, overtakenUntil[lane]);
      if (broken > 0) this.#port.breached(this, "order", { broken, until: overtakenUntil[lane] });
    }
    // Nothing of a lane that it was asked for and has. A lane that it was not asked for is the next claim's.
    const refused = asked.filter(({ order, limit }) => left[order.lane] && limit > 0);
    if (tasks.length === 0 && refused.length > 0 && !moreDue) this.#rest(refused);
    else this.#forgive();
  }

  /** Found work and could take none: others hold it, or it must not be prefetched. To ask again at once would be busy waiting. */
  #rest(refused: readonly ClaimLane[]): void {
    this.#barren += 1;
    if (refused.every(({ direct }) => direct === 0)) return;
    const pause = Math.min(BARREN_LONGEST, BARREN_PAUSE * 2 ** (this.#barren - 1));
    this.#port.cancel(this.#barrenTimer);
    this.#barrenTimer = this.#port.after(pause, {
      timerFired: () => {
        this.#barrenTimer = null;
        this.#port.requestTurn();
      },
    });
  }

  #forgive(): void {
    this.#barren = 0;
    this.#port.cancel(this.#barrenTimer);
    this.#barrenTimer = null;
  }

  #admitAnswer(tasks: readonly ClaimedTask[], grants: Grants): void {
    const at = this.#port.moment();
    const ahead: ClaimedTask[] = [];
    const back: ClaimedTask[] = [];
    const direct: { readonly task: ClaimedTask; readonly grant: Grant }[] = [];
    for (const task of tasks) {
      // Paused since the claim was asked: nothing of it starts any more.
      if (this.#port.poolOf(task.type)?.paused !== false) {
        back.push(task);
        continue;
      }
      const grant = task.started ? grants[this.#laneOf(task.weight)].shift() : undefined;
      if (grant === undefined) ahead.push(task);
      else direct.push({ task, grant });
    }
    this.#port.giveBack(back);
    this.#window.add(ahead, at.monotonic);
    this.#armReturn();
    for (const grant of [...grants.express, ...grants.standard]) this.#vacate(grant.admission);
    direct.sort((one, other) => one.grant.turn - other.grant.turn);
    for (const { task, grant } of direct) this.#started(task, task.weight, grant, at);
  }

  #armDue(): void {
    this.#port.cancel(this.#dueTimer);
    this.#dueTimer = this.#port.after(Math.max(0, this.#dueAt - this.#port.moment().now), {
      timerFired: () => {
        this.#dueTimer = null;
        // The wall clock may have been set back, or run apart from the monotonic one that timers follow.
        if (this.#port.moment().now < this.#dueAt) {
          this.#armDue();
          return;
        }
        this.#dueAt = Number.POSITIVE_INFINITY;
        this.suspect();
        this.pump();
      },
    });
  }

  #armReturn(): void {
    const oldest = this.#window.oldest;
    if (this.#returnTimer !== null || oldest === null) return;
    const wait = Math.max(0, oldest + PREFETCH_TIME - this.#port.moment().monotonic);
    this.#returnTimer = this.#port.after(wait, {
      timerFired: () => {
        this.#returnTimer = null;
        this.#port.giveBack(this.#window.removeOld(this.#port.moment().monotonic - PREFETCH_TIME));
        this.#armReturn();
        this.#port.requestTurn();
      },
    });
  }

  #occupy({ lane, slot }: Admission): void {
    this.#usage[slot === "burst" ? "burst" : lane] += 1;
  }

  #vacate({ lane, slot }: Admission): void {
    this.#usage[slot === "burst" ? "burst" : lane] -= 1;
  }
}

/**
 * Types with a bound for the whole ledger share its permits between the lanes, and a claim ahead holds a permit too. While both lanes may wait for
 * one, nothing is prefetched: an express task claimed ahead must not take the permit with which a standard task would start in its turn (section 4).
 */
function withoutPrefetch(lanes: readonly ClaimLane[]): readonly ClaimLane[] {
  return lanes.map((lane) => ({ ...lane, limit: lane.direct }));
}
