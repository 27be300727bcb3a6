import type { MetricFamily, MetricSample, Metrics } from "@giveway/engine";
import { type Metric, Registry } from "prom-client";

export const TEXT_FORMAT = Registry.PROMETHEUS_CONTENT_TYPE;
const PREFIX = "giveway_";

interface Value {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * The families as Prometheus text. The engine keeps the figures; a registry made for one scrape only writes them down, so that nothing
 * is counted twice and no family outlives its source.
 */
export async function prometheusText(metrics: Metrics): Promise<string> {
  const registry = new Registry();
  for (const family of metrics.families) registry.registerMetric(snapshotOf(family) as unknown as Metric);
  return await registry.metrics();
}

/** What the registry asks of a metric: its name, and its values when it is scraped. */
function snapshotOf(family: MetricFamily) {
  const name = family.name.startsWith(PREFIX) ? family.name : `${PREFIX}${family.name}`;
  const values = family.samples.flatMap((sample) => valuesOf(name, sample));
  return { name, get: async () => ({ name, help: family.help, type: family.type, values, aggregator: "sum" }) };
}

function valuesOf(name: string, sample: MetricSample): Value[] {
  if ("value" in sample) return [{ labels: sample.labels, value: sample.value }];
  const buckets = sample.buckets.map(([le, count]) => bucketOf(name, sample.labels, le, count));
  const hasInfinity = sample.buckets.some(([le]) => le === Number.POSITIVE_INFINITY);
  return [
    ...buckets,
    ...(hasInfinity ? [] : [bucketOf(name, sample.labels, Number.POSITIVE_INFINITY, sample.count)]),
    { metricName: `${name}_sum`, labels: sample.labels, value: sample.sum },
    { metricName: `${name}_count`, labels: sample.labels, value: sample.count },
  ];
}

function bucketOf(name: string, labels: Readonly<Record<string, string>>, le: number, count: number): Value {
  const bound = le === Number.POSITIVE_INFINITY ? "+Inf" : le;
  return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: count };
}
