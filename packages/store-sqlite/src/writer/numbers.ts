import type { Driver, Statement } from "../driver/driver.ts";

/**
 * The three counters of the ledger: task keys, places in the ready order, and serials of history rows. They only grow, also over deleted
 * rows: a key used twice would let a late settlement hit a task it was never meant for. Read once, written with each transaction that used them.
 */
export class Numbers {
  readonly #read: Statement;
  readonly #write: Statement;
  #key = 0;
  #seq = 0;
  #serial = 0;
  #known = false;
  #used = false;

  constructor(driver: Driver) {
    this.#read = driver.prepare("SELECT key, seq, serial FROM sequence WHERE id = 1");
    this.#write = driver.prepare("UPDATE sequence SET key = ?, seq = ?, serial = ? WHERE id = 1");
  }

  nextKey(): number {
    this.#load();
    this.#used = true;
    this.#key += 1;
    return this.#key;
  }

  nextSeq(): number {
    this.#load();
    this.#used = true;
    this.#seq += 1;
    return this.#seq;
  }

  nextSerial(): number {
    this.#load();
    this.#used = true;
    this.#serial += 1;
    return this.#serial;
  }

  /** Gives back the key and seq taken last, for a row that was not written after all. */
  giveBack(seqToo: boolean): void {
    this.#key -= 1;
    if (seqToo) this.#seq -= 1;
  }

  flush(): void {
    if (!this.#used) return;
    this.#used = false;
    this.#write.run(this.#key, this.#seq, this.#serial);
  }

  /** Another process wrote, or the transaction was rolled back. */
  invalidate(): void {
    this.#known = false;
    this.#used = false;
  }

  #load(): void {
    if (this.#known) return;
    const row = this.#read.get();
    if (row === undefined) throw new Error("the sequence row is missing");
    [this.#key, this.#seq, this.#serial] = row as [number, number, number];
    this.#known = true;
  }
}
