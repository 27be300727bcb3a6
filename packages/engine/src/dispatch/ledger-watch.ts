import { type Clock, GivewayError } from "@giveway/kernel";
import type { Logger } from "../api.ts";
import type { TimerService } from "../time/timer-service.ts";

export interface LedgerWatchDeps {
  readonly clock: Clock;
  readonly timers: TimerService;
  readonly logger: Logger;
  /** The pause is over: try again. */
  readonly resume: () => void;
  /** The ledger can't be used any more. */
  readonly fatal: (error: Error) => void;
}

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;
const LOG_EVERY = 1_000;

/**
 * The ledger's trouble, in one place (V-38, V-39). A full, locked or unreachable ledger makes the engine wait with growing pauses and lose
 * nothing; one that repeating can't help makes it stop. Whatever the rate of errors, one line a second is logged.
 */
export class LedgerWatch {
  readonly #deps: LedgerWatchDeps;
  #failures = 0;
  #pausing = false;
  #closed = false;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #unlogged = 0;
  #last: string | null = null;

  constructor(deps: LedgerWatchDeps) {
    this.#deps = deps;
  }

  /** Between a failure and the next try. */
  get pausing(): boolean {
    return this.#pausing;
  }

  /** What the last call failed of; null since one succeeded. */
  get trouble(): string | null {
    return this.#last;
  }

  succeeded(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#last = null;
    this.#deps.logger.info({ event: "ledger_well" }, "the ledger answers again");
  }

  failed(call: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#last = `${call}: ${message}`;
    if (this.#closed) return;
    if (error instanceof GivewayError && !error.retryable) {
      this.#deps.fatal(error);
      return;
    }
    this.#log(call, error, message);
    this.#pause();
  }

  /** No more tries. */
  close(): void {
    this.#closed = true;
  }

  #pause(): void {
    if (this.#pausing) return;
    this.#pausing = true;
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#deps.timers.after(pause, {
      timerFired: () => {
        this.#pausing = false;
        this.#deps.resume();
      },
    });
  }

  #log(call: string, error: unknown, message: string): void {
    const now = this.#deps.clock.monotonic();
    if (now - this.#loggedAt < LOG_EVERY) {
      this.#unlogged += 1;
      return;
    }
    const fields = { event: "ledger_failed", call, err: error, unlogged: this.#unlogged };
    this.#deps.logger.error(fields, `the ledger refused a ${call}, it is tried again: ${message}`);
    this.#loggedAt = now;
    this.#unlogged = 0;
  }
}
