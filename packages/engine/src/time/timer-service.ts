import { type Clock, type TimerHandle, TimingWheel, type WheelEntry } from "@giveway/kernel";
import type { MeasurePort } from "../ports.ts";
import { MAX_SLEEP } from "./system-clock.ts";

/** What a timer calls. An object, so that thousands of attempts need no closure each. */
export interface TimerTarget {
  timerFired(): void;
}

export type Timer = WheelEntry<TimerTarget>;

export interface TimerServiceDeps {
  readonly clock: Clock;
  readonly measure: MeasurePort;
  /** A target that threw; the other timers go on. */
  readonly failed: (error: unknown) => void;
}

/**
 * All waiting of the engine: one wheel, and one timer of the clock armed to the wheel's next event (B9, C6, D15). There is no tick. It follows the
 * monotonic clock, never sleeps longer than a minute, and looks at the clock again when it wakes: a timer that fired early is armed anew.
 */
export class TimerService {
  readonly #deps: TimerServiceDeps;
  readonly #wheel: TimingWheel<TimerTarget>;
  #armed: TimerHandle | null = null;
  #armedFor = Number.POSITIVE_INFINITY;
  #firing = false;
  #closed = false;

  constructor(deps: TimerServiceDeps) {
    this.#deps = deps;
    this.#wheel = new TimingWheel(deps.clock.monotonic());
  }

  /** Calls the target once, not before `ms` have passed. Any horizon. */
  after(ms: number, target: TimerTarget): Timer {
    const timer = this.#wheel.insert(this.#deps.clock.monotonic() + Math.max(0, ms), target);
    if (timer.at < this.#armedFor && !this.#firing) this.#arm();
    return timer;
  }

  /** Harmless where it fired already. The clock's timer stays armed: waking once for nothing is cheaper than arming anew at each cancel. */
  cancel(timer: Timer | null): void {
    if (timer !== null) this.#wheel.cancel(timer);
  }

  /** Ends all of it: nothing fires any more and no timer of the clock is left. */
  close(): void {
    this.#closed = true;
    this.#armed?.cancel();
    this.#armed = null;
  }

  get size(): number {
    return this.#wheel.size;
  }

  #arm(): void {
    this.#armed?.cancel();
    this.#armed = null;
    this.#armedFor = Number.POSITIVE_INFINITY;
    const next = this.#wheel.nextAt();
    if (next === null || this.#closed) return;
    this.#armedFor = next;
    const sleep = Math.min(MAX_SLEEP, Math.max(0, next - this.#deps.clock.monotonic()));
    this.#armed = this.#deps.clock.setTimer(this.#wake, sleep);
  }

  readonly #wake = (): void => {
    this.#armed = null;
    this.#firing = true;
    const now = this.#deps.clock.monotonic();
    let late = 0;
    try {
      this.#wheel.advance(now, (target, at) => {
        if (this.#closed) return;
        late = Math.max(late, now - at);
        this.#call(target);
      });
    } finally {
      this.#firing = false;
    }
    if (late > 0) this.#deps.measure.timerLate(late);
    this.#arm();
  };

  #call(target: TimerTarget): void {
    try {
      target.timerFired();
    } catch (error) {
      this.#deps.failed(error);
    }
  }
}

/** A timer target from a function, for what there are few of. */
export function callback(call: () => void): TimerTarget {
  return { timerFired: call };
}
