import type { Clock } from "@giveway/kernel";
import type { Logger } from "../api.ts";
import type { MetricsCollector } from "./metrics-collector.ts";

export interface KeyFiguresDeps {
  readonly collector: MetricsCollector;
  readonly clock: Clock;
  readonly logger: Logger;
  /** ms; 0 for never. */
  readonly every: number;
}

/** Logs the key figures periodically (A13). */
export class KeyFigures {
  readonly #deps: KeyFiguresDeps;

  constructor(deps: KeyFiguresDeps) {
    this.#deps = deps;
  }
  start(): void {
    void this.#deps;
    throw new Error("not built yet");
  }
  stop(): void {
    throw new Error("not built yet");
  }
}
