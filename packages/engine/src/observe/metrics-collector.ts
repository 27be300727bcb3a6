import type { Metrics, Stats } from "../api.ts";
import type { EngineParts } from "../parts.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** Joins the registry's counters with the gauges of ledger and dispatcher. */
export class MetricsCollector {
  readonly #parts: EngineParts;
  readonly #registry: MetricsRegistry;

  constructor(parts: EngineParts, registry: MetricsRegistry) {
    this.#parts = parts;
    this.#registry = registry;
  }

  metrics(): Promise<Metrics> {
    void [this.#parts, this.#registry];
    throw new Error("not built yet");
  }
  stats(): Promise<Stats> {
    throw new Error("not built yet");
  }
}
