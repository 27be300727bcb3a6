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
import { LabelValues } from "./label-values.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

const LANES: readonly Lane[] = ["express", "standard"];

/** Joins the registry's counters with the gauges of ledger and dispatcher. */
export class MetricsCollector {
  readonly #parts: EngineParts;
  readonly #registry: MetricsRegistry;
  readonly #types: LabelValues;

  constructor(parts: EngineParts, registry: MetricsRegistry) {
    this.#parts = parts;
    this.#registry = registry;
    this.#types = new LabelValues(parts.config.types.keys());
  }

  async metrics(): Promise<Metrics> {
    const { store } = this.#parts;
    const [depths, totals] = await Promise.all([store.depths(), store.totals()]);
    return {
      families: [
        this.#waiting(depths),
        this.#oldest(depths),
        this.#running(),
        this.#slots(),
        this.#zombies(),
        this.#dead(totals),
        this.#orderBounds(),
        this.#breaches(),
        this.#estimates(depths),
        ...this.#registry.families(this.#types),
      ],
    };
  }

  async stats(): Promise<Stats> {
    const { store } = this.#parts;
    const [depths, totals] = await Promise.all([store.depths(), store.totals()]);
    const { succeeded, failed, meanWait, meanRun, meanScheduleDelay } = this.#registry.totals();
    const attempts = succeeded + failed;
    const sum = (of: (depth: Depth) => number): number => depths.reduce((all, depth) => all + of(depth), 0);
    const ended = (state: EndedTotal["state"]): number =>
      totals.reduce((all, total) => all + (total.state === state ? total.count : 0), 0);
    return {
      backlog: sum((depth) => depth.ready),
      delayed: sum((depth) => depth.delayed),
      running: sum((depth) => depth.running),
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
    const counts = new Map<string, { labels: Record<string, string>; value: number }>();
    for (const { queue, weight, ready } of depths) {
      const key = `${weight} ${queue}`;
      const labels = { queue, lane: laneOf(weight), weight: String(weight) };
      const count = counts.get(key) ?? { labels, value: 0 };
      count.value += ready;
      counts.set(key, count);
    }
    return gauge("tasks_waiting", "Tasks that are ready to start.", [...counts.values()]);
  }

  #oldest(depths: readonly Depth[]): MetricFamily {
    const now = this.#parts.clock.now();
    const samples = this.#perLane((queue, lane) => {
      const since = depths.flatMap((depth) =>
        depth.queue === queue && laneOf(depth.weight) === lane && depth.oldest !== null ? [depth.oldest] : [],
      );
      return since.length === 0 ? 0 : Math.max(0, now - Math.min(...since)) / 1000;
    });
    return gauge("oldest_waiting_seconds", "How long the longest waiter has been ready, in seconds.", samples);
  }

  #running(): MetricFamily {
    const { dispatch } = this.#parts;
    return gauge(
      "tasks_running",
      "Slots of this node in use.",
      this.#queues().map((queue) => {
        const { express, standard, burst } = dispatch.usage(queue);
        return { labels: { queue }, value: express + standard + burst };
      }),
    );
  }

  #slots(): MetricFamily {
    const samples = this.#queues().flatMap((queue) => {
      const { slots, burst } = this.#settings(queue);
      return [
        { labels: { queue, kind: "base" }, value: slots },
        { labels: { queue, kind: "burst" }, value: burst - slots },
      ];
    });
    return gauge("slots", "Slots of this node by kind.", samples);
  }

  #zombies(): MetricFamily {
    const { dispatch, config } = this.#parts;
    const counts = new Map<string, number>();
    for (const type of config.types.keys()) {
      const label = this.#types.of(type);
      counts.set(label, (counts.get(label) ?? 0) + (dispatch.typeState(type)?.zombies ?? 0));
    }
    return gauge("zombies", "Handlers that go on after their time-out.", samplesOf(counts, "type"));
  }

  #dead(totals: readonly EndedTotal[]): MetricFamily {
    const counts = new Map<string, number>();
    for (const { type, state, count } of totals) {
      if (state !== "dead") continue;
      const label = this.#types.of(type);
      counts.set(label, (counts.get(label) ?? 0) + count);
    }
    return gauge("tasks_dead", "Dead letters in the ledger.", samplesOf(counts, "type"));
  }

  #orderBounds(): MetricFamily {
    const samples = this.#queues().flatMap((queue) => {
      const settings = this.#settings(queue);
      return [...EXPRESS_WEIGHTS, ...STANDARD_WEIGHTS].map((weight) => ({
        labels: { queue, weight: String(weight) },
        value: starvationBounds(settings, weight).order / 1000,
      }));
    });
    return gauge(
      "order_bound_seconds",
      "A task of this weight is overtaken in its lane only by what became ready less than so long after it.",
      samples,
    );
  }

  #breaches(): MetricFamily {
    const samples = this.#queues().flatMap((queue) => {
      const { order, share } = this.#parts.dispatch.boundBreaches(queue);
      return [
        { labels: { queue, part: "order" }, value: order },
        { labels: { queue, part: "share" }, value: share },
      ];
    });
    return {
      name: "bound_breaches_total",
      help: "Starts that broke a stated bound. Has to stay zero.",
      type: "counter",
      samples,
    };
  }

  /** Where the last task of each lane stands now: behind all that waits there. */
  #estimates(depths: readonly Depth[]): MetricFamily {
    const samples = LANES.flatMap((lane) =>
      this.#queues().flatMap((queue) => {
        const pace = this.#parts.dispatch.pace(queue);
        if (pace === null) return [];
        const settings = this.#settings(queue);
        const ahead = depths.reduce(
          (sum, depth) => sum + (depth.queue === queue && laneOf(depth.weight) === lane ? depth.ready : 0),
          0,
        );
        const cap = capOf(settings);
        const slotsForLane =
          lane === "express" ? cap + settings.burst - settings.slots : Math.max(1, settings.slots - cap);
        const ms = estimateStart({ ahead, slotsForLane, meanRun: pace.meanRun });
        return ms === null ? [] : [{ labels: { queue, lane }, value: ms / 1000 }];
      }),
    );
    return gauge("start_estimate_seconds", "Estimated wait of a task that arrives now, in seconds.", samples);
  }

  #perLane(value: (queue: QueueName, lane: Lane) => number): MetricSample[] {
    return this.#queues().flatMap((queue) =>
      LANES.map((lane) => ({ labels: { queue, lane }, value: value(queue, lane) })),
    );
  }
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: "gauge", samples };
}

function samplesOf(counts: ReadonlyMap<string, number>, label: string): MetricSample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}
