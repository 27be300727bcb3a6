import type { Weight } from "../weight.ts";

/** Where a ready task stands in the order. `seq` is unique within a ledger, `since` is ms since 1970. */
export interface ReadyPlace {
  /** The stream it belongs to: its type's name within its queue. */
  readonly stream: string;
  /** Base weight. */
  readonly weight: Weight;
  readonly seq: number;
  readonly since: number;
}

/**
 * A task in a ready queue, and the handle to remove, reweight or requeue it. Made by `ReadyQueue.push`. It carries its own links, so
 * that none of these searches; only the queue writes to it.
 */
export class ReadyEntry<Item> implements ReadyPlace {
  readonly item: Item;
  readonly stream: string;
  weight: Weight;
  seq: number;
  since: number;
  /** The list it stands in; null while it is in no queue. */
  list: StreamList<Item> | null = null;
  before: ReadyEntry<Item> | null = null;
  after: ReadyEntry<Item> | null = null;

  constructor(item: Item, place: ReadyPlace) {
    this.item = item;
    this.stream = place.stream;
    this.weight = place.weight;
    this.seq = place.seq;
    this.since = place.since;
  }
}

/** The ready tasks of one stream and base weight, lowest `seq` first. */
export class StreamList<Item> {
  head: ReadyEntry<Item> | null = null;
  tail: ReadyEntry<Item> | null = null;
  length = 0;

  /**
   * Puts the entry at its place by `seq`. A new arrival has the highest one and a task that comes back has one of the lowest, so the walk
   * goes from both ends at once: its cost is the distance to the nearer end, which is none in both usual cases.
   */
  insert(entry: ReadyEntry<Item>): void {
    let low = this.head;
    let high = this.tail;
    while (low !== null && high !== null) {
      if (high.seq <= entry.seq) {
        this.#link(entry, high, high.after);
        return;
      }
      if (low.seq > entry.seq) break;
      low = low.after;
      high = high.before;
    }
    this.#link(entry, low === null ? null : low.before, low);
  }

  unlink(entry: ReadyEntry<Item>): void {
    if (entry.before === null) this.head = entry.after;
    else entry.before.after = entry.after;
    if (entry.after === null) this.tail = entry.before;
    else entry.after.before = entry.before;
    entry.before = null;
    entry.after = null;
    entry.list = null;
    this.length -= 1;
  }

  #link(entry: ReadyEntry<Item>, before: ReadyEntry<Item> | null, after: ReadyEntry<Item> | null): void {
    entry.before = before;
    entry.after = after;
    entry.list = this;
    if (before === null) this.head = entry;
    else before.after = entry;
    if (after === null) this.tail = entry;
    else after.before = entry;
    this.length += 1;
  }
}
