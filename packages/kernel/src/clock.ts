/**
 * The port through which all time comes in. Kernel functions take plain `now` numbers; what has to wait takes a Clock, so that a
 * simulation and a test can move it (D21). All times are whole milliseconds.
 */
export interface Clock {
  /** Wall clock: ms since 1970 UTC, integer. Durable due times follow it (D16). */
  now(): number;
  /** Monotonic clock: ms since an arbitrary origin, may have a fraction. In-process delays follow it. */
  monotonic(): number;
  /** Calls back once, not before `ms` have passed. Real clocks cap one sleep at 60 s; the caller re-checks the time. */
  setTimer(callback: () => void, ms: number): TimerHandle;
  /** Runs after the current turn of the event loop, so that I/O gets its share. */
  setImmediate(callback: () => void): void;
}

export interface TimerHandle {
  cancel(): void;
}
