import type { Driver, Statement } from "../driver/driver.ts";

/** Pages in the log from which it is copied back into the database. 4 KiB each. */
const CHECKPOINT_PAGES = 4_000;

/**
 * Copies the log back into the database between commits: after the answers went out, so that no caller waits for it. SQLite's own automatic
 * checkpoint would run inside a commit, and would keep a failed sync to itself.
 */
export class Checkpointer {
  readonly #look: Statement;
  readonly #copy: Statement;
  /** Pages that a reader's snapshot kept from being copied the last time. */
  #held = 0;

  constructor(driver: Driver) {
    this.#look = driver.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#copy = driver.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Whether enough was written since, by whichever process. */
  get due(): boolean {
    return pagesToCopy(this.#look) >= this.#held + CHECKPOINT_PAGES;
  }

  /** Throws what the sync or a write of the database file throws. */
  run(): void {
    this.#held = pagesToCopy(this.#copy);
  }
}

function pagesToCopy(statement: Statement): number {
  const [, log = 0, copied = 0] = (statement.get() ?? []) as readonly number[];
  return log - copied;
}
