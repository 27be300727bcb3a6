import { type Lane, laneOf, type QueueName, type TypeName } from "@giveway/kernel";
import type { MetricFamily, MetricSample } from "../api.ts";
import type { EngineEvent, EventData, MeasurePort, TaskFacts } from "../ports.ts";
import { BATCH_BUCKETS, COMMIT_BUCKETS, Histogram, RETRY_BUCKETS, SECONDS_BUCKETS } from "./histogram.ts";
import { LabelValues } from "./label-values.ts";
import { LagGauge } from "./lag-gauge.ts";

/** What one queue, lane and type has done on this node. */
interface Series {
  readonly labels: { readonly queue: string; readonly lane: Lane; readonly type: string };
  readonly wait: Histogram;
  readonly run: Histogram;
}

/** The outcomes of one queue and type: how often an attempt ended so. */
interface Ends {
  readonly queue: string;
  readonly type: string;
  readonly outcomes: Map<string, number>;
}

/** What is kept of a queue's type, found by two look-ups of names that are already there: no text is made per task. */
interface Counts {
  readonly ends: Ends;
  express: Series | null;
  standard: Series | null;
}

/** Sums over everything, for `stats()` and the periodic line. Means are ms, null before the first. */
export interface Totals {
  readonly meanWait: number | null;
  readonly meanRun: number | null;
  readonly meanScheduleDelay: number | null;
  readonly succeeded: number;
  readonly failed: number;
}

/** The queues and types that code names: only they have label values of their own. */
export interface KnownNames {
  readonly queues: Iterable<QueueName>;
  readonly types: Iterable<TypeName>;
}

/**
 * Counts what happens on this node. Connect with `hub.consume((event) => registry.consume(event))`.
 *
 * Bounded whatever comes (V-44): queues and types that code does not name are counted under `other` from their first event on, so memory and series
 * depend on configuration alone.
 */
export class MetricsRegistry implements MeasurePort {
  readonly queues: LabelValues;
  readonly types: LabelValues;
  readonly #counts = new Map<string, Map<string, Counts>>();
  readonly #scheduleDelay = new Histogram(SECONDS_BUCKETS);
  readonly #retries = new Histogram(RETRY_BUCKETS);
  readonly #commitSeconds = new Histogram(COMMIT_BUCKETS);
  readonly #commitSize = new Histogram(BATCH_BUCKETS);
  readonly #lag = new LagGauge();
  readonly #monotonic: () => number;
  #leasesLost = 0;
  #staleWrites = 0;

  constructor(known: KnownNames, monotonic: () => number) {
    this.queues = new LabelValues(known.queues);
    this.types = new LabelValues(known.types);
    this.#monotonic = monotonic;
  }

  consume(event: EngineEvent): void {
    const { kind, task, data } = event;
    switch (kind) {
      case "started":
        if (task !== null) this.#started(task, data);
        return;
      case "succeeded":
        if (task !== null) this.#ended(task, kind, data);
        if (data?.retries !== undefined) this.#retries.observe(data.retries);
        return;
      case "failed":
      case "timed_out":
      case "lost":
      case "released":
      case "snoozed":
        if (task !== null) this.#ended(task, kind, data);
        return;
      case "cancelled":
        // Only where an attempt ended by it; a task cancelled while it waited had none.
        if (task !== null && data?.outcome === "cancelled") this.#ended(task, kind, data);
        return;
      case "dead":
        if (data?.retries !== undefined) this.#retries.observe(data.retries);
        return;
      case "late_answer":
        // The answer of a handler that went on after its end is never sent to the ledger, so nothing was refused.
        if (data?.reason !== "after_its_end") this.#staleWrites += 1;
        return;
      case "lease_lost":
        this.#leasesLost += 1;
        return;
      default:
        return;
    }
  }

  committed(operations: number, ms: number): void {
    this.#commitSeconds.observe(ms / 1000);
    this.#commitSize.observe(operations);
  }

  timerLate(ms: number): void {
    this.#lag.record(ms, this.#monotonic());
  }

  totals(): Totals {
    let [waits, wait, runs, run, succeeded, failed] = [0, 0, 0, 0, 0, 0];
    for (const { ends, express, standard } of this.#all()) {
      for (const series of [express, standard]) {
        if (series === null) continue;
        waits += series.wait.count;
        wait += series.wait.sum;
        runs += series.run.count;
        run += series.run.sum;
      }
      succeeded += ends.outcomes.get("succeeded") ?? 0;
      for (const outcome of ["failed", "timed_out", "lost"]) failed += ends.outcomes.get(outcome) ?? 0;
    }
    const delay = this.#scheduleDelay;
    return {
      meanWait: meanMs(wait, waits),
      meanRun: meanMs(run, runs),
      meanScheduleDelay: meanMs(delay.sum, delay.count),
      succeeded,
      failed,
    };
  }

  /** The families this node counts by itself. Reading changes nothing. */
  families(): readonly MetricFamily[] {
    return [
      this.#perLane("wait_seconds", "From ready to start.", ({ wait }) => wait),
      this.#perLane("run_seconds", "From start to end of an attempt.", ({ run }) => run),
      single("schedule_delay_seconds", "From due time to start.", this.#scheduleDelay),
      this.#attempts(),
      single("retries", "Retries that tasks had used when they succeeded or died.", this.#retries),
      single("commit_seconds", "Duration of one commit of the ledger.", this.#commitSeconds),
      single("commit_batch_size", "Operations that shared one commit.", this.#commitSize),
      scalar("leases_lost_total", "Leases that this node lost.", "counter", this.#leasesLost),
      scalar("stale_writes_total", "Answers that the ledger refused as too late.", "counter", this.#staleWrites),
      scalar(
        "event_loop_lag_seconds",
        "Longest delay of a timer in the last 30 to 60 s.",
        "gauge",
        this.#lag.read(this.#monotonic()) / 1000,
      ),
    ];
  }

  #started(task: TaskFacts, data: EventData | undefined): void {
    this.#seriesOf(task).wait.observe((data?.wait ?? 0) / 1000);
    this.#scheduleDelay.observe((data?.scheduleDelay ?? 0) / 1000);
  }

  #ended(task: TaskFacts, outcome: string, data: EventData | undefined): void {
    const { outcomes } = this.#countsOf(task).ends;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (data?.run !== undefined) this.#seriesOf(task).run.observe(data.run / 1000);
  }

  #seriesOf(task: TaskFacts): Series {
    const counts = this.#countsOf(task);
    const lane = laneOf(task.weight);
    counts[lane] ??= {
      labels: { queue: counts.ends.queue, lane, type: counts.ends.type },
      wait: new Histogram(SECONDS_BUCKETS),
      run: new Histogram(SECONDS_BUCKETS),
    };
    return counts[lane];
  }

  #countsOf(task: TaskFacts): Counts {
    const queue = this.queues.of(task.queue);
    const type = this.types.of(task.type);
    let types = this.#counts.get(queue);
    if (types === undefined) {
      types = new Map();
      this.#counts.set(queue, types);
    }
    let counts = types.get(type);
    if (counts === undefined) {
      counts = { ends: { queue, type, outcomes: new Map() }, express: null, standard: null };
      types.set(type, counts);
    }
    return counts;
  }

  *#all(): Generator<Counts> {
    for (const types of this.#counts.values()) yield* types.values();
  }

  #perLane(name: string, help: string, of: (series: Series) => Histogram): MetricFamily {
    const samples = [...this.#all()]
      .flatMap(({ express, standard }) => [express, standard])
      .filter((series): series is Series => series !== null)
      .map((series) => histogramSample(series.labels, of(series)));
    return { name, help, type: "histogram", samples };
  }

  #attempts(): MetricFamily {
    const samples = [...this.#all()].flatMap(({ ends: { queue, type, outcomes } }) =>
      [...outcomes].map(([outcome, value]) => ({ labels: { queue, type, outcome }, value })),
    );
    return { name: "attempts_total", help: "Attempts by how they ended.", type: "counter", samples };
  }
}

function meanMs(sum: number, count: number): number | null {
  return count === 0 ? null : (sum / count) * 1000;
}

function histogramSample(labels: Readonly<Record<string, string>>, histogram: Histogram): MetricSample {
  return { labels, buckets: histogram.buckets(), sum: histogram.sum, count: histogram.count };
}

function single(name: string, help: string, histogram: Histogram): MetricFamily {
  return { name, help, type: "histogram", samples: [histogramSample({}, histogram)] };
}

function scalar(name: string, help: string, type: "counter" | "gauge", value: number): MetricFamily {
  return { name, help, type, samples: [{ labels: {}, value }] };
}
