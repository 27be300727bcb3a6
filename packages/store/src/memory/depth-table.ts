import type { QueueName, TaskRecord, TypeName, Weight } from "@giveway/kernel";
import type { Depth, EndedTotal } from "../task-store.ts";
import { SortedList } from "./sorted-list.ts";

/** One stream and base weight: its ready tasks in order, and how many are delayed or run. */
export interface Stream {
  readonly queue: QueueName;
  readonly type: TypeName;
  readonly weight: Weight;
  readonly ready: SortedList<TaskRecord>;
  delayed: number;
  running: number;
}

type Ended = EndedTotal["state"];

/** Rows of one queue and type. */
interface TypeRows {
  readonly streams: Map<Weight, Stream>;
  readonly ended: Record<Ended, number>;
}

const bySeq = (a: TaskRecord, b: TaskRecord): number => (a.seq ?? 0) - (b.seq ?? 0);

/** Where a row counts. `ready` has a place in the order, `delayed` has none yet. */
export function standingOf(task: TaskRecord): "ready" | "delayed" | "running" | Ended {
  return task.state === "waiting" ? (task.seq === null ? "delayed" : "ready") : task.state;
}

/** The ready order and every counter, kept with the rows they count. */
export class DepthTable {
  readonly #queues = new Map<QueueName, Map<TypeName, TypeRows>>();
  readonly #runningOfType = new Map<TypeName, number>();

  add(task: TaskRecord): void {
    const standing = standingOf(task);
    if (standing === "ready") this.#openStream(task).ready.add(task);
    else this.#count(task, standing, 1);
  }

  remove(task: TaskRecord): void {
    const standing = standingOf(task);
    if (standing === "ready") this.#openStream(task).ready.remove(task);
    else this.#count(task, standing, -1);
  }

  stream(queue: QueueName, type: TypeName, weight: Weight): Stream | null {
    return this.#queues.get(queue)?.get(type)?.streams.get(weight) ?? null;
  }

  typesOf(queue: QueueName): readonly TypeName[] {
    return [...(this.#queues.get(queue)?.keys() ?? [])];
  }

  /** Claimed and running ones of a type in all queues. */
  runningOf(type: TypeName): number {
    return this.#runningOfType.get(type) ?? 0;
  }

  depths(): Depth[] {
    const found: Depth[] = [];
    for (const rows of this.#allRows()) {
      for (const { queue, type, weight, ready, delayed, running } of rows.streams.values()) {
        if (ready.length + delayed + running === 0) continue;
        const oldest = ready.first()?.since ?? null;
        found.push({ queue, type, weight, ready: ready.length, delayed, running, oldest });
      }
    }
    return found;
  }

  totals(): EndedTotal[] {
    const found: EndedTotal[] = [];
    for (const [queue, types] of this.#queues) {
      for (const [type, { ended }] of types) {
        for (const state of ["succeeded", "dead", "cancelled"] as const) {
          if (ended[state] > 0) found.push({ queue, type, state, count: ended[state] });
        }
      }
    }
    return found;
  }

  #count(task: TaskRecord, standing: "delayed" | "running" | Ended, by: 1 | -1): void {
    switch (standing) {
      case "delayed":
        this.#openStream(task).delayed += by;
        return;
      case "running":
        this.#openStream(task).running += by;
        this.#runningOfType.set(task.type, this.runningOf(task.type) + by);
        return;
      case "succeeded":
      case "dead":
      case "cancelled":
        this.#rowsOf(task).ended[standing] += by;
        return;
    }
  }

  #openStream(task: TaskRecord): Stream {
    const { streams } = this.#rowsOf(task);
    let stream = streams.get(task.weight);
    if (stream === undefined) {
      const { queue, type, weight } = task;
      stream = { queue, type, weight, ready: new SortedList(bySeq), delayed: 0, running: 0 };
      streams.set(weight, stream);
    }
    return stream;
  }

  #rowsOf(task: TaskRecord): TypeRows {
    let types = this.#queues.get(task.queue);
    if (types === undefined) {
      types = new Map();
      this.#queues.set(task.queue, types);
    }
    let rows = types.get(task.type);
    if (rows === undefined) {
      rows = { streams: new Map(), ended: { succeeded: 0, dead: 0, cancelled: 0 } };
      types.set(task.type, rows);
    }
    return rows;
  }

  *#allRows(): Generator<TypeRows> {
    for (const types of this.#queues.values()) yield* types.values();
  }
}
