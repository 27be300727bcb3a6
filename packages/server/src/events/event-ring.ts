import type { TaskEventView } from "@giveway/engine";

/** What a reader that knows event `n` has not seen yet. `missed`: how many were not kept; null where that is not known. */
export interface Since {
  readonly missed: number | null;
  readonly events: readonly TaskEventView[];
}

/** The last events, bounded. Their numbers grow by one. */
export class EventRing {
  readonly #keep: number;
  #events: TaskEventView[] = [];
  /** Where the oldest stands, once the ring is full. */
  #oldest = 0;

  constructor(keep: number) {
    this.#keep = keep;
  }

  push(event: TaskEventView): void {
    if (this.#events.length < this.#keep) {
      this.#events.push(event);
      return;
    }
    this.#events[this.#oldest] = event;
    this.#oldest = (this.#oldest + 1) % this.#keep;
  }

  clear(): void {
    this.#events = [];
    this.#oldest = 0;
  }

  /** The newest `count`, oldest first. */
  recent(count: number): readonly TaskEventView[] {
    return count === 0 ? [] : this.#inOrder().slice(-count);
  }

  after(n: number): Since {
    const kept = this.#inOrder();
    const first = kept[0];
    const last = kept.at(-1);
    if (first === undefined || last === undefined || n > last.n) return { missed: null, events: [] };
    if (n < first.n) return { missed: first.n - n - 1, events: kept };
    return { missed: 0, events: kept.filter((event) => event.n > n) };
  }

  #inOrder(): readonly TaskEventView[] {
    return [...this.#events.slice(this.#oldest), ...this.#events.slice(0, this.#oldest)];
  }
}
