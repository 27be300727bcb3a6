import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Driver, OpenDriver } from "../driver/driver.ts";
import { failureOf } from "../driver/failure.ts";
import { ledgerError } from "../errors.ts";
import { checkHandshake, versionOf } from "../migrations/handshake.ts";
import { migrate } from "../migrations/migrate.ts";
import { checkIntegrity } from "./integrity.ts";
import { applyPragmas, applyReaderPragmas, checkLibrary } from "./pragmas.ts";

export interface ConnectionOptions {
  readonly file: string;
  readonly busyTimeout: number;
}

/**
 * Opens the one connection that writes: makes the folder, checks the library, whose file it is and from which version, sets what
 * durability needs and reads it back, checks the file and brings its schema forward. Nothing is written before the checks that can refuse it.
 * Errors: `ledger_unsafe`, `ledger_from_future`, `ledger_corrupt`, `ledger_read_only`, `ledger_busy`, `ledger_unavailable`.
 */
export function openWriter(open: OpenDriver, options: ConnectionOptions): Driver {
  const { file, busyTimeout } = options;
  makeFolder(file);
  return guarded(open, options, (driver) => {
    checkLibrary(driver, file);
    checkHandshake(driver, file);
    applyPragmas(driver, file, busyTimeout);
    probeWrite(driver);
    checkIntegrity(driver, file);
    migrate(driver, file);
  });
}

/** A connection that only reads, for the thread that answers queries. The writer has checked and migrated the file before. */
export function openReader(open: OpenDriver, options: ConnectionOptions): Driver {
  return guarded(open, options, (driver) => {
    checkLibrary(driver, options.file);
    checkHandshake(driver, options.file);
    applyReaderPragmas(driver, options.busyTimeout);
  });
}

function guarded(open: OpenDriver, options: ConnectionOptions, prepare: (driver: Driver) => void): Driver {
  let driver: Driver | null = null;
  try {
    driver = open(options.file, options.busyTimeout);
    prepare(driver);
    return driver;
  } catch (error) {
    driver?.close();
    throw ledgerError(error, options.file, "opening it");
  }
}

function makeFolder(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw ledgerError(error, file, "making its folder");
  }
}

/**
 * Writes something and takes it back: shows a read-only file or volume at once, not at the first task. Taking the lock would not do, since
 * SQLite quietly begins a reading transaction there.
 */
function probeWrite(driver: Driver): void {
  try {
    driver.exec("BEGIN IMMEDIATE");
  } catch (error) {
    // Another process writing just now is no reason not to start; the first commit waits for it.
    if (failureOf(error) === "busy") return;
    throw error;
  }
  try {
    driver.exec(`PRAGMA user_version = ${versionOf(driver)}`);
  } finally {
    driver.exec("ROLLBACK");
  }
}
