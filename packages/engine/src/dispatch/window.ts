import {
  type Fence,
  type Lane,
  type LaneOrder,
  type Ranking,
  type ReadyEntry,
  ReadyQueue,
  type TaskId,
  type TaskKey,
  type TypeName,
  type Weight,
} from "@giveway/kernel";
import type { ClaimedTask } from "@giveway/store";

/** Tasks that came with one claim. */
interface Batch {
  /** On the monotonic clock. */
  readonly at: number;
  /** Given up once all have left, so that started tasks aren't kept in memory. */
  entries: readonly Entry[];
  left: number;
}

interface Windowed {
  readonly task: ClaimedTask;
  readonly batch: Batch;
}

type Entry = ReadyEntry<Windowed>;

/** A task taken for its start; its weight may have changed since the claim. */
export interface Taken {
  readonly task: ClaimedTask;
  readonly weight: Weight;
}

/**
 * Tasks claimed and not started, in exact start order. What lies here longer than a second goes back, so the window also remembers when each
 * batch came.
 */
export class Window {
  readonly #queue: ReadyQueue<Windowed>;
  readonly #byType = new Map<TypeName, number>();
  readonly #batches: Batch[] = [];
  #size = 0;

  constructor(lanes: readonly LaneOrder[]) {
    this.#queue = new ReadyQueue(lanes);
  }

  configure(lanes: readonly LaneOrder[]): void {
    this.#queue.configure(lanes);
  }

  add(tasks: readonly ClaimedTask[], monotonic: number): void {
    if (tasks.length === 0) return;
    const batch: Batch = { at: monotonic, entries: [], left: tasks.length };
    batch.entries = tasks.map((task) => {
      const { type: stream, weight, seq, since } = task;
      this.#count(task.type, 1);
      return this.#queue.push({ task, batch }, { stream, weight, seq, since });
    });
    this.#batches.push(batch);
  }

  take(lane: Lane, now: number): Taken | null {
    const entry = this.#queue.take(lane, now);
    if (entry === null) return null;
    this.#left(entry);
    return { task: entry.item.task, weight: entry.weight };
  }

  startable(lane: Lane): boolean {
    return this.#queue.startable(lane);
  }

  /** How many of a lane wait for a slot; those of closed streams don't. */
  waiting(lane: Lane): number {
    return this.#queue.startable(lane) ? this.#queue.sizeOf(lane) : 0;
  }

  get size(): number {
    return this.#size;
  }

  sizeOfType(type: TypeName): number {
    return this.#byType.get(type) ?? 0;
  }

  open(type: TypeName): void {
    this.#queue.open(type);
  }
  close(type: TypeName): void {
    this.#queue.close(type);
  }

  rankingOf(lane: Lane): Ranking | null {
    return this.#queue.rankingOf(lane);
  }
  heads(lane: Lane): Iterable<Entry> {
    return this.#queue.heads(lane);
  }

  find(id: TaskId): ClaimedTask | null {
    for (const entry of this.#queue) if (entry.item.task.id === id) return entry.item.task;
    return null;
  }

  holds(key: TaskKey, fence: Fence): boolean {
    for (const { item } of this.#queue) if (item.task.key === key && item.task.fence === fence) return true;
    return false;
  }

  /** Takes out what matches. */
  removeWhere(matches: (task: ClaimedTask) => boolean): ClaimedTask[] {
    const found = [...this.#queue].filter((entry) => matches(entry.item.task));
    for (const entry of found) this.#remove(entry);
    return found.map((entry) => entry.item.task);
  }

  /** Takes out what came at `monotonic` or before. */
  removeOld(monotonic: number): ClaimedTask[] {
    const old: ClaimedTask[] = [];
    for (const batch of [...this.#batches]) {
      if (batch.at > monotonic) break;
      for (const entry of batch.entries) {
        if (entry.list === null) continue;
        this.#remove(entry);
        old.push(entry.item.task);
      }
    }
    return old;
  }

  /** When the oldest batch came; null where the window is empty. */
  get oldest(): number | null {
    return this.#batches[0]?.at ?? null;
  }

  /** The same task at another weight of its lane: it keeps its place. */
  reweight(id: TaskId, weight: Weight): void {
    for (const entry of this.#queue) {
      if (entry.item.task.id !== id) continue;
      this.#queue.reweight(entry, weight);
      return;
    }
  }

  #remove(entry: Entry): void {
    this.#queue.remove(entry);
    this.#left(entry);
  }

  #left({ item: { task, batch } }: Entry): void {
    this.#count(task.type, -1);
    batch.left -= 1;
    if (batch.left > 0) return;
    batch.entries = [];
    while (this.#batches[0]?.left === 0) this.#batches.shift();
  }

  #count(type: TypeName, by: number): void {
    this.#size += by;
    this.#byType.set(type, this.sizeOfType(type) + by);
  }
}
