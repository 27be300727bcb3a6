/**
 * What went wrong inside SQLite, as far as the ledger acts on it. The two libraries tell it differently: one by name
 * (`SQLITE_IOERR_FSYNC`), one by number (1034).
 */
export type Failure =
  /** Another process holds the lock. */
  | "busy"
  /** No space left; the transaction is gone, the data is not. */
  | "full"
  /** A sync failed: what the disk holds of the last writes is not known any more. */
  | "sync"
  /** Any other failed read or write of the file. */
  | "io"
  | "corrupt"
  | "not_a_database"
  | "read_only"
  | "cannot_open"
  /** A value larger than SQLite stores. */
  | "too_big"
  /** Everything else: a constraint, a wrong statement, memory. */
  | "other";

const PRIMARY: Readonly<Record<number, Failure>> = {
  5: "busy",
  6: "busy",
  8: "read_only",
  10: "io",
  11: "corrupt",
  13: "full",
  14: "cannot_open",
  18: "too_big",
  26: "not_a_database",
};
/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const SYNC_CODES: ReadonlySet<number> = new Set([1034, 1290]);

const BY_NAME: readonly (readonly [prefix: string, failure: Failure])[] = [
  ["SQLITE_IOERR_FSYNC", "sync"],
  ["SQLITE_IOERR_DIR_FSYNC", "sync"],
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_READONLY", "read_only"],
  ["SQLITE_IOERR", "io"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_FULL", "full"],
  ["SQLITE_CANTOPEN", "cannot_open"],
  ["SQLITE_TOOBIG", "too_big"],
  ["SQLITE_NOTADB", "not_a_database"],
];

/** Calls of the ledger's own to the file system: folders, backups. */
const BY_SYSTEM_NAME: Readonly<Record<string, Failure>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read_only",
  EACCES: "read_only",
  EPERM: "read_only",
  EIO: "io",
  ENOTDIR: "cannot_open",
  EISDIR: "cannot_open",
  EEXIST: "cannot_open",
  ENOENT: "cannot_open",
};

/** Classifies an error thrown by a driver or by the file system; null for any other. */
export function failureOf(error: unknown): Failure | null {
  if (typeof error !== "object" || error === null) return null;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof errcode === "number") return SYNC_CODES.has(errcode) ? "sync" : (PRIMARY[errcode & 0xff] ?? "other");
  if (typeof code !== "string") return null;
  if (!code.startsWith("SQLITE_")) return BY_SYSTEM_NAME[code] ?? null;
  return BY_NAME.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "other";
}
