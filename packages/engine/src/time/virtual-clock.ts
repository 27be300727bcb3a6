import { type Clock, type TimerHandle, TimingWheel } from "@giveway/kernel";

/** 2025-01-01T00:00:00Z: where a virtual clock begins unless told otherwise. */
const DEFAULT_START = 1_735_689_600_000;
/** Turns of the real event loop without news after which everything that runs without time has settled. */
const QUIET_TURNS = 3;

export interface VirtualClockOptions {
  /** ms since 1970 where the wall clock begins. */
  readonly start?: number;
  /** Answers whether something outside the event loop's turns is still under way, such as a call to a store in another thread. */
  readonly busy?: () => boolean;
}

/**
 * A clock that a test moves. Nothing passes by itself; `advance` runs every timer that falls due in order of its time, and after each one lets
 * all promises and immediates settle, so that a run is the same every time.
 */
export class VirtualClock implements Clock {
  #wall: number;
  #elapsed = 0;
  readonly #wheel = new TimingWheel<() => void>(0);
  readonly #busy: () => boolean;
  #immediates = 0;
  #longestSleep = 0;

  constructor(options: VirtualClockOptions = {}) {
    this.#wall = options.start ?? DEFAULT_START;
    this.#busy = options.busy ?? (() => false);
  }

  now(): number {
    return this.#wall + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimer(callback: () => void, ms: number): TimerHandle {
    this.#longestSleep = Math.max(this.#longestSleep, ms);
    const entry = this.#wheel.insert(this.#elapsed + Math.max(1, Math.ceil(ms)), callback);
    return { cancel: () => void this.#wheel.cancel(entry) };
  }

  setImmediate(callback: () => void): void {
    this.#immediates += 1;
    setImmediate(() => {
      this.#immediates -= 1;
      callback();
    });
  }

  /** Resolves after so many virtual ms: how handlers of a test take time. Rejects with the signal's reason when it fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.setTimer(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Moves both clocks on by `ms`, running what falls due on the way. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsed + ms;
    await this.settle();
    for (let next = this.#wheel.nextAt(); next !== null && next <= target; next = this.#wheel.nextAt()) {
      this.#elapsed = Math.max(this.#elapsed, next);
      // One ms at a time, and what its timers led to before the next one: two timers of one ms share it, as on a real loop.
      this.#wheel.advance(this.#elapsed, (callback) => callback());
      await this.settle();
    }
    this.#elapsed = target;
  }

  /** Advances timer by timer until `done` answers true. Throws when `limit` virtual ms have passed without it. */
  async advanceUntil(done: () => boolean, limit = 86_400_000): Promise<void> {
    const end = this.#elapsed + limit;
    await this.settle();
    while (!done()) {
      const next = this.#wheel.nextAt();
      if (next === null || next > end) throw new Error(`the awaited state did not come within ${limit} virtual ms`);
      await this.advance(Math.max(0, next - this.#elapsed));
    }
  }

  /** Waits, without moving the time, until all promises and immediates have settled. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.#immediates;
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      quiet = before === 0 && this.#immediates === 0 && !this.#busy() ? quiet + 1 : 0;
    }
  }

  /** Sets the wall clock ahead or back, as an operator or a time server would. The monotonic clock and timers don't notice. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** How many timers are armed. */
  get timers(): number {
    return this.#wheel.size;
  }

  /** In how many ms the next timer is due; null where none is armed. */
  get nextTimerIn(): number | null {
    const next = this.#wheel.nextAt();
    return next === null ? null : Math.max(0, next - this.#elapsed);
  }

  /** The longest sleep that was ever asked for. */
  get longestSleep(): number {
    return this.#longestSleep;
  }
}
