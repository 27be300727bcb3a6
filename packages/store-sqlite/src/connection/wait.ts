import { failureOf } from "../driver/failure.ts";

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the calling thread. Only for the moments in which SQLite itself would do the same. */
export function blockFor(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}

/**
 * Repeats what SQLite refuses as busy without asking its own busy handler, such as the change to WAL, until it succeeds or `timeout` ms
 * have passed. The last refusal is thrown.
 */
export function retryWhileBusy<Value>(timeout: number, attempt: () => Value): Value {
  const until = performance.now() + timeout;
  for (let pause = 1; ; pause = Math.min(50, pause * 2)) {
    try {
      return attempt();
    } catch (error) {
      if (failureOf(error) !== "busy" || performance.now() >= until) throw error;
    }
    blockFor(pause);
  }
}
