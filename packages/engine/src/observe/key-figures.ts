import type { Clock, TimerHandle } from "@giveway/kernel";
import type { Logger } from "../api.ts";
import type { MetricsCollector } from "./metrics-collector.ts";

export interface KeyFiguresDeps {
  readonly collector: Pick<MetricsCollector, "stats">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** ms; 0 for never. */
  readonly every: number;
}

/** Logs the key figures periodically, so that they can be found without any scraper (A13). */
export class KeyFigures {
  readonly #deps: KeyFiguresDeps;
  #timer: TimerHandle | null = null;
  #running = false;

  constructor(deps: KeyFiguresDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#running || this.#deps.every === 0) return;
    this.#running = true;
    this.#arm();
  }

  stop(): void {
    this.#running = false;
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Clocks cap one sleep, so the time is looked at again. */
  #arm(due = this.#deps.clock.monotonic() + this.#deps.every): void {
    const { clock } = this.#deps;
    this.#timer = clock.setTimer(() => {
      if (clock.monotonic() < due) return this.#arm(due);
      void this.#say().finally(() => {
        if (this.#running) this.#arm();
      });
    }, due - clock.monotonic());
  }

  async #say(): Promise<void> {
    const { collector, logger } = this.#deps;
    try {
      logger.info({ event: "key_figures", ...(await collector.stats()) }, "key figures");
    } catch (error) {
      // The ledger's own trouble is logged where it happens; the next line comes when it answers again.
      logger.debug({ event: "key_figures", err: error }, "the ledger gave no figures");
    }
  }
}
