/** ms between two beats of a node; the engine's own beats come as often (`features.beat`). */
export const BEAT = 10_000;
/** ms without a beat after which a node's lease has expired. */
export const LEASE = 60_000;

/**
 * # Who keeps the lease
 *
 * The engine beats every 10 s and gets its signals that way. Should its beat be late, because its timers starve or it waits behind a long
 * commit, the ledger's thread renews the lease by itself; but only after the main thread answered a ping, so that a main loop that is dead can't
 * hold tasks for ever. An engine that beats in time costs the thread nothing.
 *
 * It also remembers the longest wait for the file's write lock: a node that could not write for long can't tell another's silence from its
 * own, and doesn't take over for a lease then (`BeatAnswer.waitedForLock`).
 */
export class LeaseKeeper {
  readonly #clock: () => number;
  readonly #renewedAt = new Map<string, number>();
  #longestWait = 0;

  /** `clock`: monotonic ms. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  keep(node: string): void {
    this.#renewedAt.set(node, this.#clock());
  }

  renewed(node: string): void {
    if (this.#renewedAt.has(node)) this.keep(node);
  }

  drop(node: string): void {
    this.#renewedAt.delete(node);
  }

  /** Nodes of this store whose beat is late. */
  late(): string[] {
    const before = this.#clock() - BEAT;
    return [...this.#renewedAt].flatMap(([node, at]) => (at <= before ? [node] : []));
  }

  waited(ms: number): void {
    this.#longestWait = Math.max(this.#longestWait, ms);
  }

  /** ms, since it was asked last. */
  takeLongestWait(): number {
    const longest = this.#longestWait;
    this.#longestWait = 0;
    return Math.round(longest);
  }
}
