import type { Clock } from "@giveway/kernel";
import type { TaskStore } from "@giveway/store";
import type { Logger } from "../api.ts";
import type { Timer, TimerService } from "../time/timer-service.ts";

export interface UpkeepDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly timers: TimerService;
  readonly logger: Logger;
  /** ms that rows of ended tasks are kept. */
  readonly keep: number;
  /** ms that ids of succeeded tasks are remembered. */
  readonly remember: number;
}

const EVERY = 60_000;
/** Rows in one call: what one commit carries beside others. */
const PAGE = 500;
/** Pages in a row; the rest waits for the next time, so that a large backlog doesn't hold up work. */
const PAGES = 20;

/** Deletes what retention allows, once a minute, in pages. */
export class Upkeep {
  readonly #deps: UpkeepDeps;
  #timer: Timer | null = null;
  #closed = false;

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.timers.after(EVERY, { timerFired: () => void this.#round() });
  }

  close(): void {
    this.#closed = true;
    this.#deps.timers.cancel(this.#timer);
  }

  async #round(): Promise<void> {
    const { store, clock, keep, remember, logger } = this.#deps;
    try {
      for (let page = 0; page < PAGES && !this.#closed; page += 1) {
        const { more } = await store.prune({ now: clock.now(), keep, remember, limit: PAGE });
        if (!more) break;
      }
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      if (!this.#closed)
        logger.warn(
          { event: "prune_failed", err: error },
          `old tasks could not be pruned, tried again in a minute: ${said}`,
        );
    }
    if (!this.#closed) this.start();
  }
}
