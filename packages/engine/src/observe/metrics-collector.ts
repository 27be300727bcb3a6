import {
  capOf,
  EXPRESS_WEIGHTS,
  estimateStart,
  type Lane,
  laneOf,
  type QueueName,
  STANDARD_WEIGHTS,
  starvationBounds,
} from "@giveway/kernel";
import type { Depth, EndedTotal } from "@giveway/store";
import type { MetricFamily, MetricSample, Metrics, Stats } from "../api.ts";
import type { QueueSettings } from "../config/compiled.ts";
import type { EngineParts } from "../parts.ts";
import { settingsOf } from "../read/queue-facts.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

const LANES: readonly Lane[] = ["express", "standard"];

/**
 * Joins the registry's counters with the gauges of ledger and dispatcher. Depths and dead letters are the whole ledger's, so every node shows the
 * same; slots, starts and attempts are this node's, so they add up over nodes. Lanes go by base weight under every policy.
 */
export class MetricsCollector {
  readonly #parts: EngineParts;
  readonly #registry: MetricsRegistry;

  constructor(parts: EngineParts, registry: MetricsRegistry) {
    this.#parts = parts;
    this.#registry = registry;
  }

  async metrics(): Promise<Metrics> {
    const { store } = this.#parts;
    const [depths, totals] = await Promise.all([store.depths(), store.totals()]);
    return {
      families: [
        this.#waiting(depths),
        this.#delayed(depths),
        this.#oldest(depths),
        this.#running(),
        this.#slots(),
        this.#zombies(),
        this.#dead(totals),
        this.#orderBounds(),
        this.#breaches(),
        this.#estimates(depths),
        ...this.#registry.families(),
      ],
    };
  }

  async stats(): Promise<Stats> {
    const { store } = this.#parts;
    const [depths, totals] = await Promise.all([store.depths(), store.totals()]);
    const { succeeded, failed, meanWait, meanRun, meanScheduleDelay } = this.#registry.totals();
    const attempts = succeeded + failed;
    const ended = (state: EndedTotal["state"]): number =>
      totals.reduce((all, total) => all + (total.state === state ? total.count : 0), 0);
    return {
      backlog: sumOf(depths, ({ ready }) => ready),
      delayed: sumOf(depths, ({ delayed }) => delayed),
      running: sumOf(depths, ({ running }) => running),
      dead: ended("dead"),
      succeeded: ended("succeeded"),
      failed,
      successRate: attempts === 0 ? null : succeeded / attempts,
      failureRate: attempts === 0 ? null : failed / attempts,
      meanWait,
      meanRun,
      meanScheduleDelay,
    };
  }

  #queues(): readonly QueueName[] {
    return [...this.#parts.config.queues.keys()];
  }

  #settings(queue: QueueName): QueueSettings {
    return settingsOf(this.#parts, queue);
  }

  #waiting(depths: readonly Depth[]): MetricFamily {
    const sums = new SampleSums();
    for (const { queue, weight, ready } of depths) {
      sums.add({ queue: this.#registry.queues.of(queue), lane: laneOf(weight), weight: String(weight) }, ready);
    }
    return gauge("tasks_waiting", "Tasks that are ready to start.", sums.samples());
  }

  #delayed(depths: readonly Depth[]): MetricFamily {
    const sums = new SampleSums();
    for (const { queue, delayed } of depths) sums.add({ queue: this.#registry.queues.of(queue) }, delayed);
    return gauge("tasks_delayed", "Tasks whose due time lies ahead.", sums.samples());
  }

  #oldest(depths: readonly Depth[]): MetricFamily {
    const now = this.#parts.clock.now();
    const samples = this.#perLane((queue, lane) => {
      const since = depths.flatMap((depth) =>
        depth.queue === queue && laneOf(depth.weight) === lane && depth.oldest !== null ? [depth.oldest] : [],
      );
      return since.length === 0 ? 0 : Math.max(0, now - Math.min(...since)) / 1000;
    });
    return gauge("oldest_waiting_seconds", "How long the longest waiter has been ready; 0 for none.", samples);
  }

  #running(): MetricFamily {
    const samples = this.#queues().map((queue) => {
      const { express, standard, burst } = this.#parts.dispatch.usage(queue);
      return { labels: { queue }, value: express + standard + burst };
    });
    return gauge("tasks_running", "Tasks that hold a slot of this node.", samples);
  }

  #slots(): MetricFamily {
    const samples = this.#queues().flatMap((queue) => {
      const { slots, burst } = this.#settings(queue);
      const usage = this.#parts.dispatch.usage(queue);
      const kinds = {
        base: slots,
        burst: burst - slots,
        busy_express: usage.express,
        busy_standard: usage.standard,
        busy_burst: usage.burst,
      };
      return Object.entries(kinds).map(([kind, value]) => ({ labels: { queue, kind }, value }));
    });
    return gauge("slots", "Slots of this node: base and burst ones, and how many of them are held.", samples);
  }

  #zombies(): MetricFamily {
    const { dispatch, config } = this.#parts;
    const sums = new SampleSums();
    for (const type of config.types.keys()) {
      sums.add({ type: this.#registry.types.of(type) }, dispatch.typeState(type)?.zombies ?? 0);
    }
    return gauge("zombies", "Handlers of this node that go on after their end.", sums.samples());
  }

  #dead(totals: readonly EndedTotal[]): MetricFamily {
    const sums = new SampleSums();
    for (const type of this.#parts.config.types.keys()) sums.add({ type: this.#registry.types.of(type) }, 0);
    for (const { type, state, count } of totals) {
      if (state === "dead") sums.add({ type: this.#registry.types.of(type) }, count);
    }
    return gauge("tasks_dead", "Dead letters in the ledger.", sums.samples());
  }

  #orderBounds(): MetricFamily {
    const samples = this.#queues().flatMap((queue) => {
      const settings = this.#settings(queue);
      return [...EXPRESS_WEIGHTS, ...STANDARD_WEIGHTS].map((weight) => ({
        labels: { queue, weight: String(weight) },
        value: starvationBounds(settings, weight).order / 1000,
      }));
    });
    const help = "A task of this weight is overtaken in its lane only by what became ready less than so long after it.";
    return gauge("order_bound_seconds", help, samples);
  }

  #breaches(): MetricFamily {
    const samples = this.#queues().flatMap((queue) => {
      const { order, share } = this.#parts.dispatch.boundBreaches(queue);
      return [
        { labels: { queue, part: "order" }, value: order },
        { labels: { queue, part: "share" }, value: share },
      ];
    });
    const help = "Starts that broke a stated bound; has to stay zero.";
    return { name: "bound_breaches_total", help, type: "counter", samples };
  }

  /** For a task that arrives now and stands behind all that waits in its lane; none before a run time was measured. */
  #estimates(depths: readonly Depth[]): MetricFamily {
    const samples = this.#queues().flatMap((queue) => {
      const meanRun = this.#parts.dispatch.pace(queue)?.meanRun;
      if (meanRun === undefined) return [];
      const own = depths.filter((depth) => depth.queue === queue);
      return LANES.flatMap((lane) => {
        const seconds = this.#estimate(queue, lane, own, meanRun);
        return seconds === null ? [] : [{ labels: { queue, lane }, value: seconds }];
      });
    });
    return gauge("start_estimate_seconds", "Estimated wait of a task that arrives now.", samples);
  }

  #estimate(queue: QueueName, lane: Lane, depths: readonly Depth[], meanRun: number): number | null {
    const settings = this.#settings(queue);
    const usage = this.#parts.dispatch.usage(queue);
    const waiting = (of: Lane): number => sumOf(depths, ({ weight, ready }) => (laneOf(weight) === of ? ready : 0));
    const ahead = waiting(lane);
    const slotsForLane = laneSlots(settings, lane, waiting(lane === "express" ? "standard" : "express") > 0);
    const held = lane === "express" ? usage.express + usage.burst : usage.standard;
    if (ahead === 0 && usage.express + usage.standard < settings.slots && held < slotsForLane) return 0;
    const ms = estimateStart({ ahead, slotsForLane, meanRun });
    return ms === null ? null : ms / 1000;
  }

  #perLane(value: (queue: QueueName, lane: Lane) => number): MetricSample[] {
    return this.#queues().flatMap((queue) =>
      LANES.map((lane) => ({ labels: { queue, lane }, value: value(queue, lane) })),
    );
  }
}

/** The slots a lane can count on. */
function laneSlots(settings: QueueSettings, lane: Lane, otherWaits: boolean): number {
  const { slots, burst, burstFor, policy } = settings;
  const extra = burstFor === "all" || lane === "express" ? burst - slots : 0;
  const divided = policy === "isolated" || (policy === "express" && otherWaits);
  if (policy === "ladder" || policy === "strict" || policy === "fifo") return burstFor === "all" ? burst : slots;
  if (!divided) return slots + extra;
  return Math.max(1, lane === "express" ? capOf(settings) : slots - capOf(settings)) + extra;
}

function sumOf(depths: readonly Depth[], of: (depth: Depth) => number): number {
  return depths.reduce((sum, depth) => sum + of(depth), 0);
}

/** Adds up values whose labels are equal, since names that share `other` share a sample. */
class SampleSums {
  readonly #sums = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();

  add(labels: Readonly<Record<string, string>>, value: number): void {
    const key = JSON.stringify(labels);
    const sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, { labels, value });
    else sum.value += value;
  }

  samples(): MetricSample[] {
    return [...this.#sums.values()];
  }
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: "gauge", samples };
}
