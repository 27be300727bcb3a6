import { GivewayError } from "@giveway/kernel";
import { type Driver, scalar } from "../driver/driver.ts";
import { retryWhileBusy } from "./wait.ts";

/**
 * The first version without the fault by which two connections that write or checkpoint at once could reset the log of each other (D1).
 */
export const SAFE_LIBRARY = [3, 51, 3] as const;

/** `synchronous` by number: OFF, NORMAL, FULL, EXTRA. */
const FULL = 2;

/** Checkpoints are run by the writer between commits (`writer/checkpoint.ts`); this only bounds the log should that fail. Pages. */
const AUTOCHECKPOINT = 20_000;
/** The log's file is cut back to this once a burst is over. Bytes. */
const LOG_LIMIT = 64 * 1024 * 1024;
/** KiB of pages kept by a connection. Work is at the ends of the tables, and the system caches the file as well: more gains nothing. */
const WRITER_CACHE = 8_000;
const READER_CACHE = 4_000;

export function checkLibrary(driver: Driver, file: string): void {
  const version = String(scalar(driver, "SELECT sqlite_version()"));
  if (isSafe(version)) return;
  throw new GivewayError(
    "ledger_unsafe",
    `SQLite ${version} (${driver.name}) can corrupt a file that two connections use; ${file} is opened only with ${SAFE_LIBRARY.join(".")} or newer: update ${driver.name === "node:sqlite" ? "Node" : driver.name}`,
    { subject: file },
  );
}

export function isSafe(version: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, needed] of SAFE_LIBRARY.entries()) {
    const own = parts[index] ?? 0;
    if (own !== needed) return own > needed;
  }
  return true;
}

/**
 * What "durable when it returns" rests on (D2), set at every open and read back: an existing file is otherwise opened with the library's
 * own default, which loses the last acknowledged commits with the power. Errors: `ledger_unsafe`.
 */
export function applyPragmas(driver: Driver, file: string, busyTimeout: number): void {
  driver.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
  const mode = retryWhileBusy(busyTimeout, () => scalar(driver, "PRAGMA journal_mode = WAL"));
  if (mode !== "wal") {
    throw unsafe(file, `journal mode stays "${mode}", WAL is not possible there: put it on a local disk`);
  }
  driver.exec(
    `PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -${WRITER_CACHE}; PRAGMA temp_store = MEMORY`,
  );
  // On macOS an ordinary sync leaves the data in the drive's cache.
  driver.exec("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
  driver.exec(`PRAGMA wal_autocheckpoint = ${AUTOCHECKPOINT}; PRAGMA journal_size_limit = ${LOG_LIMIT}`);
  const synchronous = scalar(driver, "PRAGMA synchronous");
  if (synchronous !== FULL) throw unsafe(file, `synchronous is ${synchronous} although FULL (${FULL}) was set`);
  const mapped = scalar(driver, "PRAGMA mmap_size");
  if (mapped !== null && mapped !== 0) throw unsafe(file, `mmap_size is ${mapped} although 0 was set`);
}

/** A connection that must not write, whatever it is asked. */
export function applyReaderPragmas(driver: Driver, busyTimeout: number): void {
  driver.exec(
    `PRAGMA busy_timeout = ${busyTimeout}; PRAGMA query_only = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -${READER_CACHE}`,
  );
}

/** What is in force, for `doctor` and `info()`. */
export function readPragmas(driver: Driver): Record<string, string | number> {
  const names = [
    "journal_mode",
    "synchronous",
    "busy_timeout",
    "mmap_size",
    "page_size",
    "page_count",
    "freelist_count",
  ];
  return Object.fromEntries(names.map((name) => [name, scalar(driver, `PRAGMA ${name}`) ?? ""]));
}

function unsafe(file: string, what: string): GivewayError {
  return new GivewayError("ledger_unsafe", `the ledger ${file} would not survive a power cut: ${what}`, {
    subject: file,
  });
}
