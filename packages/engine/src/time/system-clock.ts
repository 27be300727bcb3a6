import type { Clock, TimerHandle } from "@giveway/kernel";

/** The longest single sleep (D16): a clock that jumped, a suspended machine or a delay beyond 2^31 ms is noticed within a minute. */
export const MAX_SLEEP = 60_000;

/** The machine's clocks and timers. The only place in the engine that asks them. */
export function systemClock(): Clock {
  return SYSTEM_CLOCK;
}

const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, ms): TimerHandle {
    const timer = setTimeout(callback, Math.min(MAX_SLEEP, Math.max(1, Math.ceil(ms))));
    return { cancel: () => clearTimeout(timer) };
  },
  setImmediate(callback): void {
    setImmediate(callback);
  },
};
