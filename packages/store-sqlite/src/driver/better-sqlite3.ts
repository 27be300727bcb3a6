import type BetterSqlite3 from "better-sqlite3";
import type { Cell, Driver, OpenDriver, Row, Statement } from "./driver.ts";

export function betterSqlite3(library: typeof BetterSqlite3): OpenDriver {
  return (file, busyTimeout) => new BetterSqlite3Driver(new library(file, { timeout: busyTimeout }));
}

class BetterSqlite3Driver implements Driver {
  readonly name = "better-sqlite3";
  readonly #database: BetterSqlite3.Database;

  constructor(database: BetterSqlite3.Database) {
    this.#database = database;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): Statement {
    const statement = this.#database.prepare<Cell[], Row>(sql);
    if (statement.reader) statement.raw();
    return new BetterSqlite3Statement(statement);
  }

  close(): void {
    this.#database.close();
  }
}

class BetterSqlite3Statement implements Statement {
  readonly #statement: BetterSqlite3.Statement<Cell[], Row>;

  constructor(statement: BetterSqlite3.Statement<Cell[], Row>) {
    this.#statement = statement;
  }

  run(...parameters: Cell[]): number {
    return this.#statement.run(...parameters).changes;
  }

  get(...parameters: Cell[]): Row | undefined {
    return this.#statement.get(...parameters);
  }

  all(...parameters: Cell[]): Row[] {
    return this.#statement.all(...parameters);
  }
}
