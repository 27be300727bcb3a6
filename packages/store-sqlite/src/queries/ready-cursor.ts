import type { ReadyHead } from "@giveway/kernel";
import type { Statement } from "../driver/driver.ts";

/** A ready task as its narrow row tells it. */
export interface ReadyRow extends ReadyHead {
  readonly key: number;
  /** See `places.ts`. */
  readonly flags: number;
}

/**
 * Reads one stream and weight of `ready` in order: stream, weight, after seq, limit. The rows come as one JSON list of numbers, four a row: half
 * the cost of an array each, and this is read for every task.
 */
export const READY_PAGE = `
SELECT '[' || group_concat(seq || ',' || since || ',' || key || ',' || flags) || ']' AS page FROM (
  SELECT seq, since, key, flags FROM ready WHERE stream = ? AND weight = ? AND seq > ? ORDER BY seq LIMIT ?)`;
const WIDTH = 4;

/**
 * Walks the ready rows of one stream and weight. They are fetched in pages: the first as long as what the caller expects to take, further ones
 * longer, and all together no more than `most`. Nothing is read before the first look.
 */
export class ReadyCursor {
  readonly stream: number;
  readonly weight: number;
  readonly #page: Statement;
  #cells: readonly number[] = [];
  #at = 0;
  #size: number;
  #most: number;
  #head: ReadyRow | null = null;
  #lastSeq = 0;

  constructor(page: Statement, stream: number, weight: number, expected: number, most: number) {
    this.#page = page;
    this.stream = stream;
    this.weight = weight;
    this.#size = expected;
    this.#most = most;
  }

  head(): ReadyRow | null {
    if (this.#head !== null) return this.#head;
    if (this.#at >= this.#cells.length) this.#fetch();
    if (this.#at >= this.#cells.length) return null;
    const cells = this.#cells;
    const at = this.#at;
    const seq = cells[at] as number;
    if (seq <= this.#lastSeq) throw new Error("ready rows came out of order");
    this.#head = { seq, since: cells[at + 1] as number, key: cells[at + 2] as number, flags: cells[at + 3] as number };
    return this.#head;
  }

  advance(): void {
    const head = this.head();
    if (head === null) return;
    this.#lastSeq = head.seq;
    this.#head = null;
    this.#at += WIDTH;
  }

  #fetch(): void {
    const size = Math.min(this.#size, this.#most);
    if (size <= 0) return;
    const page = this.#page.get(this.stream, this.weight, this.#lastSeq, size)?.[0] ?? null;
    this.#cells = page === null ? [] : (JSON.parse(String(page)) as number[]);
    this.#at = 0;
    this.#most = this.#cells.length < size * WIDTH ? 0 : this.#most - size;
    this.#size = size * 4;
  }
}
