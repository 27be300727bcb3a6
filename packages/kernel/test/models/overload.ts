import {
  type Admission,
  admit,
  afterStart,
  type Lane,
  laneOrders,
  laneUnder,
  OrderChecker,
  occupy,
  type Random,
  type ReadyEntry,
  type ReadyPlace,
  ReadyQueue,
  ShareChecker,
  type SlotSettings,
  type SlotUsage,
  START_OF_ROTATION,
  TimingWheel,
  vacate,
  type Weight,
} from "@giveway/kernel";

/** What a simulated queue picks from: the kernel's own, or a broken one. */
export interface Pool {
  push(item: number, place: ReadyPlace): void;
  take(lane: Lane, now: number): ReadyEntry<number> | null;
  startable(lane: Lane): boolean;
  heads(lane: Lane): Iterable<ReadyPlace>;
}

/** A pool that picks by a rule of its own from all that waits: for orders that a checker must catch. */
export class BrokenPool implements Pool {
  readonly #queue: ReadyQueue<number>;
  readonly #better: (one: ReadyPlace, other: ReadyPlace) => boolean;
  readonly #policy: SlotSettings["policy"];

  constructor(settings: SimulatedSettings, better: (one: ReadyPlace, other: ReadyPlace) => boolean) {
    this.#queue = new ReadyQueue<number>(laneOrders(settings.policy, settings.steps));
    this.#policy = settings.policy;
    this.#better = better;
  }

  push(item: number, place: ReadyPlace): void {
    this.#queue.push(item, place);
  }

  take(lane: Lane): ReadyEntry<number> | null {
    let best: ReadyEntry<number> | null = null;
    for (const entry of this.#queue) {
      if (laneUnder(this.#policy, entry.weight) !== lane) continue;
      if (best === null || this.#better(entry, best)) best = entry;
    }
    if (best !== null) this.#queue.remove(best);
    return best;
  }

  startable(lane: Lane): boolean {
    return this.#queue.startable(lane);
  }

  heads(lane: Lane): Iterable<ReadyPlace> {
    return this.#queue.heads(lane);
  }
}

export interface SimulatedSettings extends SlotSettings {
  readonly steps: { readonly standard: number; readonly express: number };
}

/** A flow of like tasks: one every `every` ms from `from` until `to`, each running `run` ms. */
export interface Flow {
  readonly weight: Weight;
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  readonly every: number;
  readonly run: number;
  /** How many come at once. */
  readonly burst?: number;
}

export interface Outcome {
  readonly order: OrderChecker;
  readonly share: ShareChecker;
  /** Waits in ms of the started tasks, by weight. */
  readonly waits: ReadonlyMap<Weight, readonly number[]>;
  /** Still waiting at the end, by weight. */
  readonly left: ReadonlyMap<Weight, number>;
}

type Event = { readonly arrive: Flow } | { readonly end: Admission };

/** One queue under a virtual clock, from the kernel's pieces alone; every start is judged by both checkers. */
export function simulate(
  settings: SimulatedSettings,
  flows: readonly Flow[],
  until: number,
  random: Random,
  pool: Pool = new ReadyQueue<number>(laneOrders(settings.policy, settings.steps)),
): Outcome {
  const wheel = new TimingWheel<Event>(0);
  const order = new OrderChecker();
  const share = new ShareChecker();
  const waits = new Map<Weight, number[]>();
  const left = new Map<Weight, number>();
  const runs: number[] = [];
  const orders = laneOrders(settings.policy, settings.steps);
  let usage: SlotUsage = { express: 0, standard: 0, burst: 0 };
  let rotation = START_OF_ROTATION;
  let now = 0;
  let seq = 0;

  const arrive = (flow: Flow): void => {
    for (let count = flow.burst ?? 1; count > 0; count -= 1) {
      runs[seq] = flow.run;
      pool.push(seq, { stream: flow.stream, weight: flow.weight, seq, since: now });
      left.set(flow.weight, (left.get(flow.weight) ?? 0) + 1);
      seq += 1;
    }
    const next = now + Math.max(1, Math.round(flow.every * (0.5 + random())));
    if (next < flow.to) wheel.insert(next, { arrive: flow });
  };
  const startAll = (): void => {
    for (;;) {
      const waiting = { express: pool.startable("express"), standard: pool.startable("standard") };
      const next = admit(settings, usage, waiting, rotation);
      if (next === null) return;
      const started = pool.take(next.lane, now)!;
      const ranking = orders.find((lane) => lane.lane === next.lane)!.ranking;
      usage = occupy(usage, next);
      rotation = afterStart(rotation, next, waiting, settings);
      order.check(ranking, started, pool.heads(next.lane));
      share.check(settings, usage, waiting, next);
      const waited = waits.get(started.weight) ?? [];
      waited.push(now - started.since);
      waits.set(started.weight, waited);
      left.set(started.weight, left.get(started.weight)! - 1);
      wheel.insert(now + runs[started.item]!, { end: next });
    }
  };

  for (const flow of flows) wheel.insert(flow.from, { arrive: flow });
  for (let next = wheel.nextAt(); next !== null && next <= until; next = wheel.nextAt()) {
    now = next;
    wheel.advance(now, (event) => {
      if ("arrive" in event) arrive(event.arrive);
      else usage = vacate(usage, event.end);
    });
    startAll();
  }
  return { order, share, waits, left };
}
