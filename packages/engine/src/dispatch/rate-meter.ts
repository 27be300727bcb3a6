/** A sample is taken no more often than this, ms: shorter ones only measure how the event loop groups work. */
const SAMPLE = 25;
/** A pace that is rising is followed sooner, ms: a backlog should not be met with the habits of an idle queue. */
const RISING_SAMPLE = 5;
const RISING = 1.5;
/** After so long without a sample the old rate says nothing any more. */
const STALE = 250;

/** Starts per second, measured over the last moments: what the prefetch goes by. One addition per start. */
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
    const rising = sample > this.#rate * RISING;
    if (elapsed < SAMPLE && !rising) return this.#rate;
    this.#rate = rising || elapsed >= STALE ? sample : (this.#rate + sample) / 2;
    this.#count = 0;
    this.#since = monotonic;
    return this.#rate;
  }
}
