import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isSafe } from "../src/connection/pragmas.ts";
import { type Driver, scalar } from "../src/driver/driver.ts";
import { loadDriver } from "../src/driver/load.ts";
import { testFile, testFolder } from "./support/folder.ts";
import { openStore, openWrapped, rejection } from "./support/stores.ts";

const DURABLE = { journal_mode: "wal", synchronous: 2, mmap_size: 0, busy_timeout: 5_000 };

describe("settings of the connection", () => {
  it.each([true, false])("are durable on a new file and on one that exists (inline: %s)", async (inline) => {
    const file = testFile();
    const first = await openStore({ file, inline });
    expect((await first.info()).settings).toMatchObject(DURABLE);
    await first.close();
    const again = await openStore({ file, inline });
    expect((await again.info()).settings).toMatchObject(DURABLE);
  });

  it("would not be without being set: the library opens an existing ledger with less", async () => {
    const file = testFile();
    await (await openStore({ file, inline: true })).close();
    const bare = loadDriver("better-sqlite3")(file, 0);
    const synchronous = scalar(bare, "PRAGMA synchronous");
    bare.close();
    expect(synchronous).toBe(1);
  });

  it("are refused where they don't take", async () => {
    const stubborn = (driver: Driver): Driver => ({
      name: driver.name,
      exec: (sql) => driver.exec(sql.replace("synchronous = FULL", "synchronous = NORMAL")),
      prepare: (sql) => driver.prepare(sql),
      close: () => driver.close(),
    });
    const error = await rejection(openWrapped({ file: testFile() }, stubborn));
    expect(error).toMatchObject({ code: "ledger_unsafe", message: expect.stringContaining("synchronous is 1") });
  });

  it("make missing folders", async () => {
    const file = join(testFolder(), "some", "where", "ledger.db");
    await openStore({ file, inline: true });
    expect(existsSync(file)).toBe(true);
  });
});

describe("the library's version", () => {
  it.each([
    ["3.45.1", false],
    ["3.51.2", false],
    ["3.51.3", true],
    ["3.53.2", true],
    ["4.0.0", true],
    ["2.99.9", false],
  ])("%s may write: %s", (version, safe) => {
    expect(isSafe(version)).toBe(safe);
  });

  it("is refused below the safe one, before the file is touched", async () => {
    const file = testFile();
    const old = (driver: Driver): Driver => ({
      name: driver.name,
      exec: (sql) => driver.exec(sql),
      prepare: (sql) => driver.prepare(sql.replace("sqlite_version()", "'3.51.2'")),
      close: () => driver.close(),
    });
    const error = await rejection(openWrapped({ file }, old));
    expect(error).toMatchObject({ code: "ledger_unsafe", message: expect.stringContaining("3.51.3") });
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});
