import type { Cell, Driver, Statement } from "../driver/driver.ts";
import { INSERT_WIDTH, SETTLE_WIDTH, type WriteCall } from "../wire/calls.ts";

/** Pages in the log from which it is copied back into the database. 4 KiB each. */
const CHECKPOINT_PAGES = 4_000;
/** What a commit writes at least: one page of each table and index that a lone row touches. */
const PAGES_A_COMMIT = 5;
/** Bytes a row takes besides its texts; rows beside their neighbours share pages. */
const BYTES_A_ROW = 1_000;
const PAGE = 4_096;

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

  committed(calls: readonly WriteCall[]): void {
    let bytes = 0;
    for (const call of calls) bytes += bytesOf(call);
    this.#pages += PAGES_A_COMMIT + bytes / PAGE;
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

/** About what a call writes. */
function bytesOf(call: WriteCall): number {
  switch (call.name) {
    case "insert":
      return bytesOfCells(call.args.cells, INSERT_WIDTH);
    case "settle":
      return bytesOfCells(call.args.cells, SETTLE_WIDTH) + call.args.keys.length * BYTES_A_ROW;
    case "change":
      return call.args.ops.length * 2;
    case "claim":
      return call.args.lanes.reduce((sum, { limit }) => sum + limit * BYTES_A_ROW, 0);
    case "prune":
      return call.args.limit * BYTES_A_ROW;
    default:
      return BYTES_A_ROW;
  }
}

function bytesOfCells(cells: readonly Cell[], width: number): number {
  let bytes = (cells.length / width) * BYTES_A_ROW;
  for (const cell of cells) if (typeof cell === "string") bytes += cell.length;
  return bytes;
}
