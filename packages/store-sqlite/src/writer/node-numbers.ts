import type { Driver, Statement } from "../driver/driver.ts";

/** Which nodes may take work, by the number that rows call them. Cached until another process writes or this one changes a node. */
export class NodeNumbers {
  readonly #read: Statement;
  readonly #known = new Map<string, number | null>();

  constructor(driver: Driver) {
    this.#read = driver.prepare("SELECT number FROM node WHERE id = ? AND dead = 0 AND forgotten = 0");
  }

  /** Null: not registered, forgotten, or declared dead. It takes nothing. */
  live(id: string): number | null {
    let number = this.#known.get(id);
    if (number === undefined) {
      const row = this.#read.get(id);
      number = row === undefined ? null : Number(row[0]);
      this.#known.set(id, number);
    }
    return number;
  }

  invalidate(): void {
    this.#known.clear();
  }
}
