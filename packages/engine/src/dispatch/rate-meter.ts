/** So long is counted for one sample, ms: as long as a prefetch is meant to last. */
const SAMPLE = 100;
/** A steep rise is followed sooner, ms: a backlog should not be met with the habits of an idle queue. */
const RISING_SAMPLE = 5;
const RISING = 1.5;
/** Fewer than these in a short sample say nothing about a pace. */
const RISING_COUNT = 32;
/** After so long without a sample the old rate says nothing any more, ms. */
const STALE = 250;

/**
 * The drain rate: ends per second, measured over the last moments. It is what the prefetch goes by. Ends and not starts are counted: long tasks
 * that start together on free slots drain nothing. One addition per end.
 */
export class RateMeter {
  #count = 0;
  #since: number;
  #rate = 0;

  constructor(monotonic: number) {
    this.#since = monotonic;
  }

  count(): void {
    this.#count += 1;
  }

  perSecond(monotonic: number): number {
    const elapsed = monotonic - this.#since;
    if (elapsed < RISING_SAMPLE) return this.#rate;
    const sample = (this.#count * 1000) / elapsed;
    const rising = this.#count >= RISING_COUNT && sample > this.#rate * RISING;
    if (elapsed < SAMPLE && !rising) return this.#rate;
    this.#rate = rising || elapsed >= STALE ? sample : (this.#rate + sample) / 2;
    this.#count = 0;
    this.#since = monotonic;
    return this.#rate;
  }
}
