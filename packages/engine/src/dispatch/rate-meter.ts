/** A sample is taken no more often than this, ms: shorter ones only measure how the event loop groups work. */
const SAMPLE = 25;
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
    if (elapsed < SAMPLE) return this.#rate;
    const sample = (this.#count * 1000) / elapsed;
    this.#rate = elapsed >= STALE ? sample : (this.#rate + sample) / 2;
    this.#count = 0;
    this.#since = monotonic;
    return this.#rate;
  }
}
