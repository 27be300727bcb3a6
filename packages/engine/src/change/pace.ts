import { type Clock, GivewayError, type TimerHandle } from "@giveway/kernel";

/**
 * Lets batches pass at a steady rate: the first at once, each further one when those before have been paid for. Timed by the monotonic
 * clock. `close` ends every wait with `stopped`.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #waits = new Set<{ readonly timer: TimerHandle; readonly reject: (error: Error) => void }>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A turnstile of its own for each run. */
  at(perSecond: number): (items: number) => Promise<void> {
    let next = this.#clock.monotonic();
    return async (items) => {
      const due = next;
      next = Math.max(next, this.#clock.monotonic()) + (items * 1000) / perSecond;
      await this.#until(due);
    };
  }

  close(): void {
    this.#closed = true;
    for (const { timer, reject } of this.#waits) {
      timer.cancel();
      reject(stopped());
    }
    this.#waits.clear();
  }

  async #until(due: number): Promise<void> {
    for (;;) {
      if (this.#closed) throw stopped();
      const rest = due - this.#clock.monotonic();
      if (rest <= 0) return;
      // Clocks cap one sleep, so the time is looked at again.
      await this.#sleep(rest);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wait = {
        timer: this.#clock.setTimer(() => {
          this.#waits.delete(wait);
          resolve();
        }, ms),
        reject,
      };
      this.#waits.add(wait);
    });
  }
}

function stopped(): GivewayError {
  return new GivewayError("stopped", "the scheduler stopped before all was redriven; call redrive again");
}
