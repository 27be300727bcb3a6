import type { Cell, Driver, Statement } from "../driver/driver.ts";

/** What is counted per stream and base weight. The order is that of the columns. */
export const COUNTERS = ["ready", "delayed", "running", "succeeded", "dead", "cancelled"] as const;
export type Counter = (typeof COUNTERS)[number];

/** One stream and weight: the counts as they will stand after this transaction. */
export interface DepthEntry {
  readonly stream: number;
  readonly weight: number;
  readonly counts: Record<Counter, number>;
  /** Not written yet. */
  readonly added: Record<Counter, number>;
  touched: boolean;
}

/**
 * The depth counters, written in the transaction of the rows they count: as differences, once per stream and weight touched. The counts in
 * memory tell a claim which streams and weights hold anything, so that empty ones are never probed.
 */
export class Depths {
  readonly #read: Statement;
  readonly #write: Statement;
  readonly #entries = new Map<number, DepthEntry>();
  #touched: DepthEntry[] = [];
  #known = false;

  constructor(driver: Driver) {
    const columns = COUNTERS.join(", ");
    const sums = COUNTERS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ");
    this.#read = driver.prepare(`SELECT stream, weight, ${columns} FROM depth`);
    this.#write = driver.prepare(
      `INSERT INTO depth (stream, weight, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (stream, weight) DO UPDATE SET ${sums}`,
    );
  }

  add(stream: number, weight: number, counter: Counter, by: number): void {
    const entry = this.entry(stream, weight);
    entry.counts[counter] += by;
    entry.added[counter] += by;
    if (entry.touched) return;
    entry.touched = true;
    this.#touched.push(entry);
  }

  count(stream: number, weight: number, counter: Counter): number {
    this.#load();
    return this.#entries.get(keyOf(stream, weight))?.counts[counter] ?? 0;
  }

  /** Over all weights. */
  sum(stream: number, counter: Counter): number {
    this.#load();
    let total = 0;
    for (let weight = 1; weight <= 10; weight += 1) {
      total += this.#entries.get(keyOf(stream, weight))?.counts[counter] ?? 0;
    }
    return total;
  }

  entry(stream: number, weight: number): DepthEntry {
    this.#load();
    const key = keyOf(stream, weight);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { stream, weight, counts: zeros(), added: zeros(), touched: false };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  flush(): void {
    for (const entry of this.#touched) {
      entry.touched = false;
      const { stream, weight, added } = entry;
      const values: Cell[] = COUNTERS.map((name) => added[name]);
      if (values.some((value) => value !== 0)) this.#write.run(stream, weight, ...values);
      for (const name of COUNTERS) added[name] = 0;
    }
    this.#touched = [];
  }

  invalidate(): void {
    this.#known = false;
    this.#touched = [];
  }

  #load(): void {
    if (this.#known) return;
    this.#entries.clear();
    this.#known = true;
    for (const [stream, weight, ...counts] of this.#read.all() as number[][]) {
      const entry = this.entry(Number(stream), Number(weight));
      for (const [index, name] of COUNTERS.entries()) entry.counts[name] = Number(counts[index]);
    }
  }
}

/** Weights are 1 to 10. */
function keyOf(stream: number, weight: number): number {
  return stream * 16 + weight;
}

function zeros(): Record<Counter, number> {
  return { ready: 0, delayed: 0, running: 0, succeeded: 0, dead: 0, cancelled: 0 };
}
