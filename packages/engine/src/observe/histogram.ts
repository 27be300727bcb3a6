/** Upper bounds in seconds for waits and runs: from a millisecond to an hour. */
export const SECONDS_BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600,
];
/** Upper bounds in seconds for commits: a fast disk needs a few tenths of a millisecond. */
export const COMMIT_BUCKETS: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
export const BATCH_BUCKETS: readonly number[] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];
export const RETRY_BUCKETS: readonly number[] = [0, 1, 2, 3, 5, 10, 25];

/**
 * Counts per bucket, a sum and a count. An observation is one short loop and three additions: no allocation, no text, so that the hot
 * path can afford one per start and one per end.
 */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    for (let index = 0; index < this.#bounds.length; index += 1) {
      if (value <= this.#bounds[index]!) {
        this.#counts[index]! += 1;
        return;
      }
    }
  }

  get sum(): number {
    return this.#sum;
  }
  get count(): number {
    return this.#count;
  }

  /** Cumulative, as Prometheus wants them; the last bucket is +Inf. */
  buckets(): readonly (readonly [le: number, count: number])[] {
    let total = 0;
    const buckets: (readonly [number, number])[] = this.#bounds.map((bound, index) => {
      total += this.#counts[index]!;
      return [bound, total];
    });
    buckets.push([Number.POSITIVE_INFINITY, this.#count]);
    return buckets;
  }
}
