import type { Clock } from "@giveway/kernel";

/** Starts between two looks at the clock. */
const LOOK_EVERY = 32;
/** So long starts may follow one another before the event loop turns, ms. */
const MOST = 8;

/**
 * Handlers that do little follow one another without the event loop turning: each ends in a microtask, which starts the next. So that timers, sockets and
 * the ledger's answers get their share, starts end after some ms and go on after a turn.
 */
export class StartBudget {
  readonly #clock: Clock;
  readonly #requestTurn: () => void;
  #starts = 0;
  #since = 0;
  #spent = false;

  constructor(clock: Clock, requestTurn: () => void) {
    this.#clock = clock;
    this.#requestTurn = requestTurn;
  }

  spend(): boolean {
    if (this.#spent) return false;
    this.#starts += 1;
    if (this.#starts % LOOK_EVERY !== 0) return true;
    if (this.#clock.monotonic() - this.#since < MOST) return true;
    this.#spent = true;
    this.#requestTurn();
    return false;
  }

  /** The event loop has turned. */
  renew(): void {
    this.#spent = false;
    this.#since = this.#clock.monotonic();
  }
}
