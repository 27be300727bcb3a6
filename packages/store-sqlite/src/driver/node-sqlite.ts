import type { Cell, Driver, OpenDriver, Row, Statement } from "./driver.ts";

/**
 * The part of Node's built-in SQLite that is used here. Typed by hand: the types of Node 20 don't know the module, and newer ones rename
 * `DatabaseSync` to `Database`.
 */
export interface NodeSqlite {
  readonly DatabaseSync?: NodeDatabaseClass;
  readonly Database?: NodeDatabaseClass;
}
type NodeDatabaseClass = new (file: string, options: { readonly enableForeignKeyConstraints: boolean }) => NodeDatabase;
interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}
interface NodeStatement {
  run(...parameters: Cell[]): { readonly changes: number | bigint };
  get(...parameters: Cell[]): unknown;
  all(...parameters: Cell[]): unknown[];
  /** From Node 22.16 on; before, rows are objects. */
  setReturnArrays?(enabled: boolean): void;
}

export function nodeSqlite(library: NodeSqlite): OpenDriver | null {
  const Database = library.DatabaseSync ?? library.Database;
  if (Database === undefined) return null;
  return (file, busyTimeout) => {
    const database = new Database(file, { enableForeignKeyConstraints: false });
    // The constructor's own option for it came later than the module.
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    return new NodeSqliteDriver(database);
  };
}

class NodeSqliteDriver implements Driver {
  readonly name = "node:sqlite";
  readonly #database: NodeDatabase;

  constructor(database: NodeDatabase) {
    this.#database = database;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): Statement {
    const statement = this.#database.prepare(sql);
    if (statement.setReturnArrays === undefined) return new ObjectRowStatement(statement);
    statement.setReturnArrays(true);
    return new ArrayRowStatement(statement);
  }

  close(): void {
    this.#database.close();
  }
}

class ArrayRowStatement implements Statement {
  protected readonly statement: NodeStatement;

  constructor(statement: NodeStatement) {
    this.statement = statement;
  }

  run(...parameters: Cell[]): number {
    return Number(this.statement.run(...parameters).changes);
  }

  get(...parameters: Cell[]): Row | undefined {
    return this.statement.get(...parameters) as Row | undefined;
  }

  all(...parameters: Cell[]): Row[] {
    return this.statement.all(...parameters) as Row[];
  }
}

class ObjectRowStatement extends ArrayRowStatement {
  override get(...parameters: Cell[]): Row | undefined {
    const row = this.statement.get(...parameters);
    return row === undefined ? undefined : cells(row);
  }

  override all(...parameters: Cell[]): Row[] {
    return this.statement.all(...parameters).map(cells);
  }
}

function cells(row: unknown): Row {
  return Object.values(row as Record<string, Cell>);
}
