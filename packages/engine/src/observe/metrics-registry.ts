import { type Lane, laneOf, type QueueName, type TypeName } from "@giveway/kernel";
import type { MetricFamily, MetricSample } from "../api.ts";
import type { EngineEvent, EventData, MeasurePort, TaskFacts } from "../ports.ts";
import { BATCH_BUCKETS, COMMIT_BUCKETS, Histogram, RETRY_BUCKETS, SECONDS_BUCKETS } from "./histogram.ts";
import type { LabelValues } from "./label-values.ts";

/** What one queue, lane and type has done on this node. Found once per event by three map look-ups, without making any text. */
interface Series {
  readonly queue: QueueName;
  readonly lane: Lane;
  readonly type: TypeName;
  readonly wait: Histogram;
  readonly run: Histogram;
  readonly scheduleDelay: Histogram;
  readonly retries: Histogram;
  readonly attempts: Map<string, number>;
}

/** Sums over all series, for `stats()` and the periodic line. */
export interface Totals {
  readonly starts: number;
  readonly meanWait: number | null;
  readonly meanRun: number | null;
  readonly meanScheduleDelay: number | null;
  readonly succeeded: number;
  readonly failed: number;
}

/** Counts what happens on this node. Connect with `hub.consume((event) => registry.consume(event))`. */
export class MetricsRegistry implements MeasurePort {
  readonly #series = new Map<QueueName, Map<TypeName, { express?: Series; standard?: Series }>>();
  readonly #commitSeconds = new Histogram(COMMIT_BUCKETS);
  readonly #commitSize = new Histogram(BATCH_BUCKETS);
  #lag = 0;
  #leasesLost = 0;
  #staleWrites = 0;

  consume(event: EngineEvent): void {
    const { task, data } = event;
    switch (event.kind) {
      case "started":
        if (task !== null) this.#started(task, data);
        return;
      case "succeeded":
      case "failed":
      case "timed_out":
      case "lost":
      case "released":
      case "snoozed":
        if (task !== null) this.#ended(task, event.kind, data);
        return;
      case "cancelled":
        if (task !== null && data?.outcome === "cancelled") this.#ended(task, "cancelled", data);
        return;
      case "dead":
        if (task !== null && data?.retries !== undefined) this.#of(task).retries.observe(data.retries);
        return;
      case "late_answer":
        this.#staleWrites += 1;
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

  /** The longest lag since the last reading is what a scrape wants to see. */
  timerLate(ms: number): void {
    this.#lag = Math.max(this.#lag, ms);
  }

  totals(): Totals {
    let [starts, wait, run, runs, delay, delays, succeeded, failed] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (const series of this.#all()) {
      starts += series.wait.count;
      wait += series.wait.sum;
      run += series.run.sum;
      runs += series.run.count;
      delay += series.scheduleDelay.sum;
      delays += series.scheduleDelay.count;
      succeeded += series.attempts.get("succeeded") ?? 0;
      failed +=
        (series.attempts.get("failed") ?? 0) +
        (series.attempts.get("timed_out") ?? 0) +
        (series.attempts.get("lost") ?? 0);
    }
    const mean = (sum: number, count: number): number | null => (count === 0 ? null : (sum / count) * 1000);
    return {
      starts,
      meanWait: mean(wait, starts),
      meanRun: mean(run, runs),
      meanScheduleDelay: mean(delay, delays),
      succeeded,
      failed,
    };
  }

  /** The families this node counts by itself. Reading them resets the lag to zero. */
  families(types: LabelValues): readonly MetricFamily[] {
    const labels = ({ queue, lane, type }: Series) => ({ queue, lane, type: types.of(type) });
    const histogram = (name: string, help: string, of: (series: Series) => Histogram): MetricFamily => ({
      name,
      help,
      type: "histogram",
      samples: [...this.#all()]
        .filter((series) => of(series).count > 0)
        .map((series) => histogramSample(labels(series), of(series))),
    });
    const lag = this.#lag;
    this.#lag = 0;
    return [
      merged(histogram("wait_seconds", "From ready to start, in seconds.", (series) => series.wait)),
      merged(histogram("run_seconds", "From start to end of an attempt, in seconds.", (series) => series.run)),
      merged(
        histogram("schedule_delay_seconds", "From due time to start, in seconds.", (series) => series.scheduleDelay),
      ),
      merged(histogram("retries", "Retries a task had used when it ended.", (series) => series.retries)),
      this.#attempts(types),
      single("commit_seconds", "Duration of one commit of the ledger, in seconds.", this.#commitSeconds),
      single("commit_batch_size", "Operations that shared one commit.", this.#commitSize),
      value("leases_lost_total", "Leases this node lost.", "counter", this.#leasesLost),
      value(
        "stale_writes_total",
        "Answers of handlers that the ledger refused as too late.",
        "counter",
        this.#staleWrites,
      ),
      value(
        "event_loop_lag_seconds",
        "Longest lag of a timer since the last reading, in seconds.",
        "gauge",
        lag / 1000,
      ),
    ];
  }

  #started(task: TaskFacts, data: EventData | undefined): void {
    const series = this.#of(task);
    series.wait.observe((data?.wait ?? 0) / 1000);
    series.scheduleDelay.observe((data?.scheduleDelay ?? 0) / 1000);
  }

  #ended(task: TaskFacts, outcome: string, data: EventData | undefined): void {
    const series = this.#of(task);
    series.attempts.set(outcome, (series.attempts.get(outcome) ?? 0) + 1);
    if (data?.run !== undefined) series.run.observe(data.run / 1000);
    if (outcome === "succeeded") series.retries.observe(data?.retries ?? 0);
  }

  #of(task: TaskFacts): Series {
    let types = this.#series.get(task.queue);
    if (types === undefined) {
      types = new Map();
      this.#series.set(task.queue, types);
    }
    let lanes = types.get(task.type);
    if (lanes === undefined) {
      lanes = {};
      types.set(task.type, lanes);
    }
    const lane = laneOf(task.weight);
    lanes[lane] ??= newSeries(task.queue, lane, task.type);
    return lanes[lane];
  }

  *#all(): Generator<Series> {
    for (const types of this.#series.values()) {
      for (const { express, standard } of types.values()) {
        if (express !== undefined) yield express;
        if (standard !== undefined) yield standard;
      }
    }
  }

  #attempts(types: LabelValues): MetricFamily {
    const sums = new Map<string, { labels: Record<string, string>; value: number }>();
    for (const { queue, type, attempts } of this.#all()) {
      for (const [outcome, count] of attempts) {
        const labels = { queue, type: types.of(type), outcome };
        const key = JSON.stringify(labels);
        const sum = sums.get(key);
        if (sum === undefined) sums.set(key, { labels, value: count });
        else sum.value += count;
      }
    }
    return {
      name: "attempts_total",
      help: "Attempts by how they ended.",
      type: "counter",
      samples: [...sums.values()],
    };
  }
}

function newSeries(queue: QueueName, lane: Lane, type: TypeName): Series {
  return {
    queue,
    lane,
    type,
    wait: new Histogram(SECONDS_BUCKETS),
    run: new Histogram(SECONDS_BUCKETS),
    scheduleDelay: new Histogram(SECONDS_BUCKETS),
    retries: new Histogram(RETRY_BUCKETS),
    attempts: new Map(),
  };
}

function histogramSample(labels: Readonly<Record<string, string>>, histogram: Histogram): MetricSample {
  return { labels, buckets: histogram.buckets(), sum: histogram.sum, count: histogram.count };
}

function single(name: string, help: string, histogram: Histogram): MetricFamily {
  return { name, help, type: "histogram", samples: [histogramSample({}, histogram)] };
}

function value(name: string, help: string, type: "counter" | "gauge", amount: number): MetricFamily {
  return { name, help, type, samples: [{ labels: {}, value: amount }] };
}

/** Types that share the label `other` share their samples too: a label set occurs once. */
function merged(family: MetricFamily): MetricFamily {
  const samples = new Map<string, MetricSample>();
  for (const sample of family.samples) {
    const key = JSON.stringify(sample.labels);
    const before = samples.get(key);
    samples.set(key, before === undefined ? sample : sum(before, sample));
  }
  return { ...family, samples: [...samples.values()] };
}

function sum(one: MetricSample, other: MetricSample): MetricSample {
  if ("buckets" in one && "buckets" in other) {
    const buckets = one.buckets.map(([le, count], index) => [le, count + (other.buckets[index]?.[1] ?? 0)] as const);
    return { labels: one.labels, buckets, sum: one.sum + other.sum, count: one.count + other.count };
  }
  return one;
}
