import type { Clock } from "@giveway/kernel";
import type { Logger, StopReport } from "../api.ts";
import type { TimerService } from "../time/timer-service.ts";
import type { Dispatcher } from "./dispatcher.ts";

export interface ShutdownDeps {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly timers: TimerService;
  readonly logger: Logger;
  /** The ledger is lost: there is no use in waiting for it. */
  readonly ledgerLost: () => boolean;
  /** ms that all of it may take. */
  readonly timeout: number;
}

/** At the end of the limit, told handlers get a fifth of it, at most so long, to stop by themselves, ms. */
const LONGEST_GRACE = 2_000;
/** The ledger gets at least so long for the last finishes, ms. */
const LEAST_FLUSH = 1_000;

/**
 * # How dispatch ends (A20, section 11)
 *
 * 1. Nothing new starts, from the very call on; what was claimed and not started goes back.
 * 2. Running handlers go on undisturbed. Beats go on as well, so nobody takes their tasks (V-03).
 * 3. Shortly before the limit those that still run are told `shutting_down`. One that stops is `released`: no retry used, due now, at its place.
 * 4. At the limit those that go on all the same are released too, and abandoned: the ledger will refuse their answers.
 * 5. What happened is written.
 *
 * So it ends within the limit (plus a commit) whatever handlers do (V-07). A second call may shorten the limit.
 */
export class Shutdown {
  readonly #deps: ShutdownDeps;
  #deadline: number;
  #grace: number;
  #hurried: () => void = () => undefined;

  constructor(deps: ShutdownDeps) {
    this.#deps = deps;
    this.#deadline = deps.clock.monotonic() + deps.timeout;
    this.#grace = graceOf(deps.timeout);
  }

  /** The limit is now at most so far ahead. */
  hurry(timeout: number): void {
    const deadline = this.#deps.clock.monotonic() + timeout;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    this.#grace = graceOf(timeout);
    this.#hurried();
  }

  async run(): Promise<StopReport> {
    const { dispatcher, ledgerLost } = this.#deps;
    const before = dispatcher.ends;
    dispatcher.halt();
    await this.#wait(
      () => dispatcher.quiet,
      () => this.#deadline - this.#grace,
    );
    if (!dispatcher.quiet) await this.#tellAndAbandon();
    await this.#wait(
      () => dispatcher.flushed || ledgerLost(),
      () => Math.max(this.#deadline, this.#deps.clock.monotonic() + LEAST_FLUSH),
    );
    this.#report();
    const { finished, released } = dispatcher.ends;
    return {
      finished: finished - before.finished,
      released: released - before.released,
      abandoned: dispatcher.zombies,
    };
  }

  async #tellAndAbandon(): Promise<void> {
    const { dispatcher } = this.#deps;
    for (const attempt of dispatcher.running) dispatcher.shutDown(attempt);
    // Handlers that heed the signal settle in the microtasks that follow it, so they are not abandoned even where no grace is left.
    await this.#turn();
    await this.#wait(
      () => dispatcher.quiet,
      () => this.#deadline,
    );
    for (const attempt of dispatcher.running) dispatcher.abandon(attempt);
  }

  /** Until the condition holds or the moment has come; `hurry` makes it look at the moment again. */
  async #wait(condition: () => boolean, moment: () => number): Promise<void> {
    const { clock, timers, dispatcher } = this.#deps;
    const until = moment();
    for (let left = until - clock.monotonic(); !condition() && left > 0; ) {
      await new Promise<void>((resolve) => {
        const timer = timers.after(left, { timerFired: resolve });
        this.#hurried = resolve;
        void dispatcher.until(condition).then(() => {
          timers.cancel(timer);
          resolve();
        });
      });
      left = Math.min(until, moment()) - clock.monotonic();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#deps.clock.setImmediate(resolve));
  }

  #report(): void {
    const { dispatcher, logger } = this.#deps;
    if (dispatcher.flushed) return;
    const text =
      "the node stops without having written all that happened: the ledger did not take it in time. Another node will find these tasks lost";
    logger.error({ event: "stopped_unflushed" }, text);
  }
}

function graceOf(timeout: number): number {
  return Math.min(LONGEST_GRACE, timeout / 5);
}
