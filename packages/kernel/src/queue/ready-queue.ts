import { effectiveWeight } from "../priority/effective-weight.ts";
import { type HeadSource, mergeHeads } from "../priority/merge-heads.ts";
import type { LaneOrder, Ranking } from "../priority/policy.ts";
import type { Lane, Weight } from "../weight.ts";
import { MAX_WEIGHT, MIN_WEIGHT } from "../weight.ts";
import { HeadIndex } from "./head-index.ts";
import { ReadyEntry, type ReadyPlace, StreamList } from "./stream-list.ts";

/**
 * The ready work of one queue in exact start order (section 4, A2, A4, D14).
 *
 * Within a stream and base weight the lowest `seq` comes first; between the heads of all open streams and base weights of a lane the
 * highest effective weight, then the lowest `seq`. Each stream and base weight has a list of its own, and each base weight an index
 * over the heads of the open streams. So aging rewrites nothing and scans nothing, a change of steps or policy acts at the next take,
 * and a closed stream never stands in front of others.
 *
 * A stream is open unless it was closed or its room is used up; one never heard of is open without a bound. Costs: push, remove and take
 * O(weights + log streams) at any length; opening and closing O(weights × log streams); a task put back into the middle of a long list
 * walks from the nearer end. A stream's lists stay for good: their number is that of the types.
 */
export class ReadyQueue<Item> {
  #lanes: readonly LaneOrder[];
  readonly #streams = new Map<string, Stream<Item>>();
  /** By base weight; index 0 is unused. */
  readonly #heads: readonly HeadIndex<ReadyEntry<Item>>[] = Array.from(
    { length: MAX_WEIGHT + 1 },
    () => new HeadIndex(),
  );
  readonly #counts: number[] = new Array<number>(MAX_WEIGHT + 1).fill(0);

  constructor(lanes: readonly LaneOrder[]) {
    this.#lanes = lanes;
  }

  /** Other steps or another policy, in force from the next take on. Nothing is moved. */
  configure(lanes: readonly LaneOrder[]): void {
    this.#lanes = lanes;
  }

  push(item: Item, place: ReadyPlace): ReadyEntry<Item> {
    const entry = new ReadyEntry(item, place);
    this.#insert(entry);
    return entry;
  }

  /** Puts a taken or removed entry back at the place its `seq` gives it. False where it stands in the queue already. */
  requeue(entry: ReadyEntry<Item>): boolean {
    if (entry.list !== null) return false;
    this.#insert(entry);
    return true;
  }

  /** Takes it out without a start. False where it isn't in the queue. */
  remove(entry: ReadyEntry<Item>): boolean {
    const list = entry.list;
    if (list === null) return false;
    const wasHead = list.head === entry;
    list.unlink(entry);
    this.#counts[entry.weight]! -= 1;
    if (wasHead) this.#offer(this.#streamOf(entry.stream), entry.weight);
    return true;
  }

  /**
   * Changes the base weight of a waiting entry. Without `arrival` it keeps `seq` and `since` (a change within a lane); with it the
   * task arrives anew (entering express). False where it isn't in the queue.
   */
  reweight(
    entry: ReadyEntry<Item>,
    weight: Weight,
    arrival?: { readonly seq: number; readonly since: number },
  ): boolean {
    if (!this.remove(entry)) return false;
    entry.weight = weight;
    if (arrival !== undefined) {
      entry.seq = arrival.seq;
      entry.since = arrival.since;
    }
    this.#insert(entry);
    return true;
  }

  open(stream: string): void {
    const found = this.#streamOf(stream);
    if (found.open) return;
    found.open = true;
    this.#offerAll(found);
  }

  /** From now on none of its tasks is taken, until it is opened again. */
  close(stream: string): void {
    const found = this.#streamOf(stream);
    if (!found.open) return;
    found.open = false;
    this.#offerAll(found);
  }

  /** How many more of its tasks may be taken; Infinity for no bound. `take` uses one up. */
  setRoom(stream: string, room: number): void {
    const found = this.#streamOf(stream);
    const had = found.room > 0;
    found.room = room;
    if (had !== room > 0) this.#offerAll(found);
  }

  /** Gives back what one `take` used up. */
  giveRoom(stream: string): void {
    this.setRoom(stream, this.#streamOf(stream).room + 1);
  }

  /** What would be taken at `now`, or null where no open stream of the lane has work. */
  peek(lane: Lane, now: number): ReadyEntry<Item> | null {
    const order = this.#orderOf(lane);
    if (order === null) return null;
    let best: ReadyEntry<Item> | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (const weight of order.weights) {
      const head = this.#heads[weight]!.best(order.ranking, weight, now);
      if (head === null) continue;
      const effective = effectiveWeight(order.ranking, weight, head.since, now);
      if (effective > most || (effective === most && head.seq < best!.seq)) {
        best = head;
        most = effective;
      }
    }
    return best;
  }

  /** Takes the first in order out of the queue for its start. */
  take(lane: Lane, now: number): ReadyEntry<Item> | null {
    const entry = this.peek(lane, now);
    if (entry === null) return null;
    this.remove(entry);
    this.setRoom(entry.stream, this.#streamOf(entry.stream).room - 1);
    return entry;
  }

  /** Whether an open stream of the lane has work. */
  startable(lane: Lane): boolean {
    const order = this.#orderOf(lane);
    return order?.weights.some((weight) => !this.#heads[weight]!.empty) ?? false;
  }

  /** Waiting tasks of a lane, those of closed streams included. */
  sizeOf(lane: Lane): number {
    const order = this.#orderOf(lane);
    return order === null ? 0 : order.weights.reduce((sum, weight) => sum + this.#counts[weight]!, 0);
  }

  get size(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  rankingOf(lane: Lane): Ranking | null {
    return this.#orderOf(lane)?.ranking ?? null;
  }

  /** The heads of a lane's open streams, for the order checker: read from the lists, not from the index that `take` goes by. */
  *heads(lane: Lane): IterableIterator<ReadyEntry<Item>> {
    const order = this.#orderOf(lane);
    if (order === null) return;
    for (const stream of this.#streams.values()) {
      if (!isOpen(stream)) continue;
      for (const weight of order.weights) {
        const head = stream.lists[weight]?.head ?? null;
        if (head !== null) yield head;
      }
    }
  }

  /** The first tasks of a lane in start order, were they taken now one after the other. Takes none; a stream's room isn't counted down. */
  upcoming(lane: Lane, now: number, limit: number): ReadyEntry<Item>[] {
    const order = this.#orderOf(lane);
    const found: ReadyEntry<Item>[] = [];
    if (order === null) return found;
    const sources = [...this.heads(lane)].map(cursorFrom);
    mergeHeads(sources, order.ranking, now, limit, (entry) => found.push(entry));
    return found;
  }

  /** All entries, in no promised order. */
  *[Symbol.iterator](): IterableIterator<ReadyEntry<Item>> {
    for (const stream of this.#streams.values()) {
      for (const list of stream.lists) {
        for (let entry = list?.head ?? null; entry !== null; entry = entry.after) yield entry;
      }
    }
  }

  #insert(entry: ReadyEntry<Item>): void {
    const stream = this.#streamOf(entry.stream);
    let list = stream.lists[entry.weight];
    if (list === undefined) {
      list = new StreamList<Item>();
      stream.lists[entry.weight] = list;
    }
    list.insert(entry);
    this.#counts[entry.weight]! += 1;
    if (list.head === entry) this.#offer(stream, entry.weight);
  }

  #offer(stream: Stream<Item>, weight: Weight): void {
    const head = isOpen(stream) ? (stream.lists[weight]?.head ?? null) : null;
    this.#heads[weight]!.set(stream.number, head);
  }

  #offerAll(stream: Stream<Item>): void {
    for (let weight = MIN_WEIGHT; weight <= MAX_WEIGHT; weight += 1) {
      if (stream.lists[weight] !== undefined) this.#offer(stream, weight as Weight);
    }
  }

  #streamOf(name: string): Stream<Item> {
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      stream = { number: this.#streams.size, open: true, room: Number.POSITIVE_INFINITY, lists: [] };
      this.#streams.set(name, stream);
    }
    return stream;
  }

  #orderOf(lane: Lane): LaneOrder | null {
    for (const order of this.#lanes) if (order.lane === lane) return order;
    return null;
  }
}

interface Stream<Item> {
  readonly number: number;
  open: boolean;
  room: number;
  /** By base weight, made when first needed. */
  readonly lists: (StreamList<Item> | undefined)[];
}

function isOpen(stream: Stream<unknown>): boolean {
  return stream.open && stream.room > 0;
}

function cursorFrom<Item>(head: ReadyEntry<Item>): HeadSource<ReadyEntry<Item>> {
  let next: ReadyEntry<Item> | null = head;
  return {
    weight: head.weight,
    peek: () => next,
    advance: () => {
      next = next?.after ?? null;
    },
  };
}
