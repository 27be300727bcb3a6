/**
 * What the ledger needs of SQLite, whichever library brings it. Rows come as arrays: on the claim path objects would cost more than the
 * query. Parameters are positional. All calls are synchronous; errors are the library's own, see `failure.ts`.
 */
export type Cell = number | string | null;
export type Row = readonly Cell[];

export interface Statement {
  /** Runs a write; answers how many rows it changed. */
  run(...parameters: Cell[]): number;
  get(...parameters: Cell[]): Row | undefined;
  all(...parameters: Cell[]): Row[];
}

export interface Driver {
  readonly name: DriverName;
  exec(sql: string): void;
  /** Column names of a query must differ from each other: one of the libraries hands out rows as objects. */
  prepare(sql: string): Statement;
  close(): void;
}

export type DriverName = "better-sqlite3" | "node:sqlite";

/** Opens a file, creating it where it is missing. `busyTimeout` in ms: how long a statement waits for another process's lock. */
export type OpenDriver = (file: string, busyTimeout: number) => Driver;

/** The single value of a one-column query. */
export function scalar(driver: Driver, sql: string): Cell {
  return driver.prepare(sql).get()?.[0] ?? null;
}
