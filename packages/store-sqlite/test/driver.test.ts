import { createRequire, isBuiltin } from "node:module";
import { describe, expect, it } from "vitest";
import { failureOf } from "../src/driver/failure.ts";
import { type DriverSource, loadDriver } from "../src/driver/load.ts";
import { type NodeSqlite, nodeSqlite } from "../src/driver/node-sqlite.ts";
import { settingsFrom } from "../src/options.ts";
import { inlineStore } from "../src/store.ts";
import { compareWithMemory } from "./support/compare.ts";
import { fastFolder, testFile } from "./support/folder.ts";
import { openStore } from "./support/stores.ts";

const require = createRequire(import.meta.url);
const library = require("better-sqlite3") as typeof import("better-sqlite3");

/** `node:sqlite` as Node 22.13 has it, rows as objects, played by the other library. */
const objectRows: NodeSqlite = {
  DatabaseSync: class {
    readonly #database: import("better-sqlite3").Database;
    constructor(file: string) {
      this.#database = new library(file);
    }
    exec(sql: string): void {
      this.#database.exec(sql);
    }
    prepare(sql: string) {
      const statement = this.#database.prepare(sql);
      return {
        run: (...parameters: unknown[]) => statement.run(...parameters),
        get: (...parameters: unknown[]) => statement.get(...parameters),
        all: (...parameters: unknown[]) => statement.all(...parameters),
      };
    }
    close(): void {
      this.#database.close();
    }
  },
};

/** A machine on which modules are there or not, and which notes what was asked of it. */
function machine(nodeVersion: string, modules: Readonly<Record<string, unknown>>): DriverSource & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    nodeVersion,
    load(module) {
      asked.push(module);
      if (module in modules) return modules[module];
      throw new Error(`Cannot find module '${module}'\nRequire stack:\n- somewhere`);
    },
  };
}

describe("the choice of a SQLite library", () => {
  it("is better-sqlite3 where it loads", () => {
    const source = machine("20.19.0", {
      "better-sqlite3/package.json": { version: "12.11.1" },
      "better-sqlite3": library,
    });
    const driver = loadDriver(undefined, source)(testFile(), 100);
    driver.close();
    expect(driver.name).toBe("better-sqlite3");
  });

  it("never loads version 13 on a Node that it would crash", () => {
    const source = machine("20.19.0", {
      "better-sqlite3/package.json": { version: "13.2.0" },
      "better-sqlite3": library,
      "node:sqlite": objectRows,
    });
    const driver = loadDriver(undefined, source)(testFile(), 100);
    driver.close();
    expect(driver.name).toBe("node:sqlite");
    expect(source.asked).not.toContain("better-sqlite3");
  });

  it.each(["22.14.0", "24.0.0"])("loads version 13 on Node %s", (version) => {
    const source = machine(version, {
      "better-sqlite3/package.json": { version: "13.2.0" },
      "better-sqlite3": library,
    });
    const driver = loadDriver(undefined, source)(testFile(), 100);
    driver.close();
    expect(driver.name).toBe("better-sqlite3");
  });

  it("falls back to Node's own where the compiled part is missing", () => {
    const broken = class {
      constructor() {
        throw new Error("Could not locate the bindings file.");
      }
    };
    const source = machine("22.13.0", {
      "better-sqlite3/package.json": { version: "12.11.1" },
      "better-sqlite3": broken,
      "node:sqlite": objectRows,
    });
    const driver = loadDriver(undefined, source)(testFile(), 100);
    driver.close();
    expect(driver.name).toBe("node:sqlite");
  });

  it("says in one line why none can be used, and what to do", () => {
    const source = machine("20.19.0", { "better-sqlite3/package.json": { version: "13.2.0" } });
    expect(() => loadDriver(undefined, source)).toThrow(
      expect.objectContaining({
        code: "no_such_module",
        message: expect.stringMatching(
          /^[^\n]*13\.2\.0 needs Node 22\.14[^\n]*node:sqlite: not in Node 20[^\n]*rebuild[^\n]*$/,
        ),
      }),
    );
  });

  it("can be made by the user", () => {
    const source = machine("22.13.0", { "better-sqlite3": library, "node:sqlite": objectRows });
    const driver = loadDriver("node:sqlite", source)(testFile(), 100);
    driver.close();
    expect(driver.name).toBe("node:sqlite");
    expect(source.asked).toEqual(["node:sqlite"]);
  });
});

describe("a library that hands out rows as objects", () => {
  it("gives the same answers", async () => {
    const folder = fastFolder();
    const open = nodeSqlite(objectRows);
    if (open === null) throw new Error("the played library has no database class");
    await compareWithMemory((run) => {
      const settings = settingsFrom({ file: `${folder}/${run}.db`, ballast: 0, minFree: 0 });
      return inlineStore(settings, () => open);
    }, 20);
  });

  it("may have renamed its class", () => {
    const Database = objectRows.DatabaseSync;
    expect(nodeSqlite(Database === undefined ? {} : { Database })).toBeTypeOf("function");
    expect(nodeSqlite({})).toBeNull();
  });
});

if (isBuiltin("node:sqlite")) {
  // Older Nodes don't have it; there is nothing to test there.
  describe("node:sqlite of this Node", () => {
    it("gives the same answers, and runs in the thread", async () => {
      const folder = fastFolder();
      const settings = settingsFrom({ file: `${folder}/0.db`, driver: "node:sqlite", ballast: 0, minFree: 0 });
      await compareWithMemory(
        (run) => inlineStore({ ...settings, file: `${folder}/${run}.db` }, () => loadDriver("node:sqlite")),
        40,
      );
      const store = await openStore({ file: testFile(), driver: "node:sqlite" });
      expect((await store.info()).engineVersion).toContain("node:sqlite");
    });
  });
}

describe("what went wrong, as either library tells it", () => {
  it.each([
    [{ code: "SQLITE_BUSY_SNAPSHOT" }, "busy"],
    [{ code: "SQLITE_FULL" }, "full"],
    [{ code: "SQLITE_IOERR_FSYNC" }, "sync"],
    [{ code: "SQLITE_IOERR_DIR_FSYNC" }, "sync"],
    [{ code: "SQLITE_IOERR_WRITE" }, "io"],
    [{ code: "SQLITE_CORRUPT_INDEX" }, "corrupt"],
    [{ code: "SQLITE_NOTADB" }, "not_a_database"],
    [{ code: "SQLITE_READONLY_DIRECTORY" }, "read_only"],
    [{ code: "SQLITE_CANTOPEN" }, "cannot_open"],
    [{ code: "SQLITE_TOOBIG" }, "too_big"],
    [{ code: "SQLITE_CONSTRAINT_UNIQUE" }, "other"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 5 }, "busy"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 517 }, "busy"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 13 }, "full"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 1034 }, "sync"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 778 }, "io"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 11 }, "corrupt"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 26 }, "not_a_database"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 1 }, "other"],
    [{ code: "ENOSPC" }, "full"],
    [{ code: "EROFS" }, "read_only"],
    [{ code: "ENOTDIR" }, "cannot_open"],
    [new Error("of our own"), null],
    ["thrown text", null],
    [null, null],
  ])("%o is %s", (error, expected) => {
    expect(failureOf(error)).toBe(expected);
  });
});
