import type { ReadyHead } from "@giveway/kernel";
import type { Statement } from "../driver/driver.ts";

/** A ready task as its narrow row tells it. */
export interface ReadyRow extends ReadyHead {
  readonly key: number;
  /** See `places.ts`. */
  readonly flags: number;
}

/** Reads one stream and weight of `ready` in order: stream, weight, after seq, limit. */
export const READY_PAGE =
  "SELECT seq, since, key, flags FROM ready WHERE stream = ? AND weight = ? AND seq > ? ORDER BY seq LIMIT ?";

/**
 * Walks the ready rows of one stream and weight. They are fetched in pages: the first as long as what the caller expects to take, further ones
 * longer, and all together no more than `most`. Nothing is read before the first look.
 */
export class ReadyCursor {
  readonly stream: number;
  readonly weight: number;
  readonly #page: Statement;
  #rows: (readonly number[])[] = [];
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
    if (this.#head === null && this.#at >= this.#rows.length) this.#fetch();
    if (this.#head === null && this.#at < this.#rows.length) {
      const [seq, since, key, flags] = this.#rows[this.#at] as readonly [number, number, number, number];
      this.#head = { seq, since, key, flags };
    }
    return this.#head;
  }

  advance(): void {
    const head = this.head();
    if (head === null) return;
    this.#lastSeq = head.seq;
    this.#head = null;
    this.#at += 1;
  }

  #fetch(): void {
    const size = Math.min(this.#size, this.#most);
    if (size <= 0) return;
    this.#rows = this.#page.all(this.stream, this.weight, this.#lastSeq, size) as number[][];
    this.#at = 0;
    this.#most = this.#rows.length < size ? 0 : this.#most - size;
    this.#size = size * 4;
  }
}
