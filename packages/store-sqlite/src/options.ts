import { resolve } from "node:path";
import { GivewayError } from "@giveway/kernel";
import type { DriverName } from "./driver/driver.ts";

export interface SqliteStoreOptions {
  /** Path of the ledger. Missing folders are made. Two more files, `-wal` and `-shm`, and the ballast lie beside it. */
  readonly file: string;
  /** Runs everything on the calling thread: for tests, and for short-lived commands. Default false. */
  readonly inline?: boolean;
  /** ms to wait for another process's write lock before `ledger_busy`; 5 000. */
  readonly busyTimeout?: number;
  /** Which SQLite library; default: better-sqlite3, else Node's own. */
  readonly driver?: DriverName;
  /** Bytes kept back on disk to finish running tasks once it is full; 16 MiB, 0 for none. */
  readonly ballast?: number;
  /** Inserts are refused while the volume has fewer free bytes; 32 MiB, 0 for never. */
  readonly minFree?: number;
  /** ms since any fixed origin, the lease clock. Only with `inline`; default: monotonic since boot, equal in all processes. */
  readonly clock?: { monotonic(): number };
}

/** The options with defaults, in a form that can be sent to a thread. */
export interface LedgerSettings {
  readonly file: string;
  readonly busyTimeout: number;
  readonly driver: DriverName | null;
  readonly ballast: number;
  readonly minFree: number;
}

const MIB = 1024 * 1024;

/** Errors: `invalid_option` naming the field. */
export function settingsFrom(options: SqliteStoreOptions): LedgerSettings {
  const { file, driver } = options;
  if (typeof file !== "string" || file.trim() === "" || file === ":memory:" || file.startsWith("file:")) {
    throw invalid("file", "a path of a file on a local disk", file);
  }
  if (driver !== undefined && driver !== "better-sqlite3" && driver !== "node:sqlite") {
    throw invalid("driver", '"better-sqlite3" or "node:sqlite"', driver);
  }
  if (options.clock !== undefined && options.inline !== true) {
    throw new GivewayError("invalid_option", "clock: a clock of your own needs inline: true", { field: "clock" });
  }
  return {
    file: resolve(file),
    busyTimeout: whole(options.busyTimeout ?? 5_000, "busyTimeout", 0x7fffffff),
    driver: driver ?? null,
    ballast: whole(options.ballast ?? 16 * MIB, "ballast", Number.MAX_SAFE_INTEGER),
    minFree: whole(options.minFree ?? 32 * MIB, "minFree", Number.MAX_SAFE_INTEGER),
  };
}

function whole(value: number, field: string, max: number): number {
  if (!Number.isInteger(value) || value < 0 || value > max) throw invalid(field, "a whole number of 0 or more", value);
  return value;
}

function invalid(field: string, expected: string, got: unknown): GivewayError {
  const shown = typeof got === "string" || typeof got === "number" ? JSON.stringify(got) : typeof got;
  return new GivewayError("invalid_option", `${field}: expected ${expected}; got ${shown}`, { field });
}
