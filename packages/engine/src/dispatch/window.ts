import {
  type Fence,
  type Lane,
  type LaneOrder,
  type OrderBreach,
  type OrderChecker,
  overtakenUntil,
  type ReadyEntry,
  ReadyQueue,
  type StartedTask,
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
const NOBODY: readonly never[] = [];

/** A task taken for its start; its weight may have changed since the claim. */
export interface Taken {
  readonly task: ClaimedTask;
  readonly weight: Weight;
}

/** After so many starts past the known bound it is worth finding it anew. */
const FIND_EVERY = 256;

/**
 * Tasks claimed and not started, in exact start order. What lies here longer than a second goes back, so the window also remembers when each
 * batch came.
 */
export class Window {
  readonly #queue: ReadyQueue<Windowed>;
  readonly #byType = new Map<TypeName, number>();
  readonly #batches: Batch[] = [];
  #lanes: readonly LaneOrder[];
  #size = 0;
  /** Never later than the earliest order bound among all that lies here, by lane: see `check`. */
  #earliest = noBounds();
  #passed = 0;

  constructor(lanes: readonly LaneOrder[]) {
    this.#lanes = lanes;
    this.#queue = new ReadyQueue(lanes);
  }

  configure(lanes: readonly LaneOrder[]): void {
    this.#lanes = lanes;
    this.#queue.configure(lanes);
    this.#findEarliest();
  }

  add(tasks: readonly ClaimedTask[], monotonic: number): void {
    if (tasks.length === 0) return;
    const batch: Batch = { at: monotonic, entries: [], left: tasks.length };
    batch.entries = tasks.map((task) => {
      const { type: stream, weight, seq, since } = task;
      this.#count(task.type, 1);
      this.#note(weight, since);
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

  /**
   * Checks a start against the order bounds of what it leaves here. In the usual case one comparison does: a task that became ready before the
   * earliest bound of all breaks none. Only past that the heads are looked at one by one.
   */
  check(lane: Lane, started: StartedTask, checker: OrderChecker): OrderBreach | null {
    const ranking = this.#queue.rankingOf(lane);
    if (ranking === null) return null;
    if (started.since < this.#earliest[lane]) return checker.check(ranking, started, NOBODY);
    this.#passed += 1;
    if (this.#passed % FIND_EVERY === 0) this.#findEarliest();
    return checker.check(ranking, started, this.#queue.heads(lane));
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
      this.#note(weight, entry.since);
      return;
    }
  }

  #note(weight: Weight, since: number): void {
    for (const { lane, weights, ranking } of this.#lanes) {
      if (!weights.includes(weight)) continue;
      this.#earliest[lane] = Math.min(this.#earliest[lane], overtakenUntil(ranking, weight, since));
    }
  }

  #findEarliest(): void {
    this.#earliest = noBounds();
    for (const { weight, since } of this.#queue) this.#note(weight, since);
  }

  #remove(entry: Entry): void {
    this.#queue.remove(entry);
    this.#left(entry);
  }

  #left({ item: { task, batch } }: Entry): void {
    this.#count(task.type, -1);
    if (this.#size === 0) this.#earliest = noBounds();
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

function noBounds(): { express: number; standard: number } {
  return { express: Number.POSITIVE_INFINITY, standard: Number.POSITIVE_INFINITY };
}
