import type { Driver, Statement } from "../driver/driver.ts";

/** Pages in the log from which it is copied back into the database. 4 KiB each. */
const CHECKPOINT_PAGES = 4_000;
/** What a commit writes at least: one page of each table and index that a lone row touches. */
const PAGES_A_COMMIT = 5;
/** Rows beside their neighbours share pages. */
const PAGES_AN_OPERATION = 0.25;

/**
 * Copies the log back into the database between commits: after the answers went out, so that no caller waits for it. SQLite's own automatic
 * checkpoint would run inside a commit, and would keep a failed sync to itself. The log's length is estimated and corrected by each run.
 */
export class Checkpointer {
  readonly #run: Statement;
  #pages = 0;

  constructor(driver: Driver) {
    this.#run = driver.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  committed(operations: number): void {
    this.#pages += PAGES_A_COMMIT + operations * PAGES_AN_OPERATION;
  }

  get due(): boolean {
    return this.#pages >= CHECKPOINT_PAGES;
  }

  /** Throws what the sync or a write of the database file throws. */
  run(): void {
    const [, log = 0, copied = 0] = (this.#run.get() ?? []) as readonly number[];
    // What a reader's snapshot kept from being copied is tried again, though not at every commit.
    this.#pages = Math.min(Math.max(0, log - copied), CHECKPOINT_PAGES / 2);
  }
}
