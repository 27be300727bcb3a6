/** ms that a peak is shown at least, twice that at most. */
export const LAG_WINDOW = 30_000;

/**
 * The longest lag of late. Two windows take turns, so that each scraper sees a peak for at least 30 s, however many there are and however
 * often they read; reading changes nothing.
 */
export class LagGauge {
  #window = 0;
  #peak = 0;
  #before = 0;

  record(ms: number, monotonic: number): void {
    this.#turn(monotonic);
    if (ms > this.#peak) this.#peak = ms;
  }

  read(monotonic: number): number {
    this.#turn(monotonic);
    return Math.max(this.#peak, this.#before);
  }

  #turn(monotonic: number): void {
    const window = Math.floor(monotonic / LAG_WINDOW);
    if (window === this.#window) return;
    this.#before = window === this.#window + 1 ? this.#peak : 0;
    this.#peak = 0;
    this.#window = window;
  }
}
