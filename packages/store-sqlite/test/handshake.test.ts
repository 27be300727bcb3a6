import { copyFileSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Driver, scalar } from "../src/driver/driver.ts";
import { loadDriver } from "../src/driver/load.ts";
import { APPLICATION_ID, versionOf } from "../src/migrations/handshake.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { LATEST_VERSION, STEPS } from "../src/migrations/steps.ts";
import { Child } from "./support/child.ts";
import { testFile } from "./support/folder.ts";
import { openStore, rejection } from "./support/stores.ts";

function openFile(file: string): Driver {
  return loadDriver()(file, 1_000);
}

async function ledgerAt(file: string): Promise<void> {
  await (await openStore({ file, inline: true })).close();
}

describe("the version handshake", () => {
  it("refuses a ledger of a newer program in one line and leaves it as it is", async () => {
    const file = testFile();
    await ledgerAt(file);
    const driver = openFile(file);
    driver.exec(`PRAGMA user_version = ${LATEST_VERSION + 1}`);
    driver.close();
    const before = readFileSync(file);
    const error = await rejection(openStore({ file }));
    expect(error).toMatchObject({ code: "ledger_from_future" });
    expect(error.message).toContain(`version ${LATEST_VERSION + 1}`);
    expect(error.message).not.toContain("\n");
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("refuses a database of another program and leaves it as it is", async () => {
    const file = testFile();
    const driver = openFile(file);
    driver.exec("CREATE TABLE invoice (id INTEGER PRIMARY KEY)");
    driver.close();
    const before = readFileSync(file);
    expect(await rejection(openStore({ file, inline: true }))).toMatchObject({ code: "ledger_unsafe" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("takes an empty file for a new ledger and signs it", async () => {
    const file = testFile();
    const empty = openFile(file);
    empty.close();
    await ledgerAt(file);
    const driver = openFile(file);
    const signed = scalar(driver, "PRAGMA application_id");
    const version = versionOf(driver);
    driver.close();
    expect([signed, version]).toEqual([APPLICATION_ID, LATEST_VERSION]);
  });
});

describe("migrations", () => {
  it("are numbered without a gap", () => {
    expect(STEPS.map(({ version }) => version)).toEqual(STEPS.map((_, index) => index + 1));
  });

  it("leave the old version intact when one of them fails half-way", () => {
    const file = testFile();
    const driver = openFile(file);
    migrate(driver, file);
    const before = scalar(driver, "SELECT group_concat(sql) FROM sqlite_schema");
    const steps = [...STEPS, { version: LATEST_VERSION + 1, sql: "CREATE TABLE extra (a); CREATE TABLE extra (b)" }];
    expect(() => migrate(driver, file, steps)).toThrow("already exists");
    const after = scalar(driver, "SELECT group_concat(sql) FROM sqlite_schema");
    const version = versionOf(driver);
    driver.close();
    expect(after).toBe(before);
    expect(version).toBe(LATEST_VERSION);
  });

  it("leave the old version intact when the process dies half-way", () => {
    const file = testFile();
    const driver = openFile(file);
    driver.exec("PRAGMA journal_mode = WAL");
    migrate(driver, file);
    driver.exec(`BEGIN IMMEDIATE; CREATE TABLE extra (a); PRAGMA user_version = ${LATEST_VERSION + 1}`);
    // What a crash leaves: the files as they are, with no COMMIT.
    for (const end of ["", "-wal"]) copyFileSync(file + end, `${file}.crashed${end}`);
    driver.exec("ROLLBACK");
    driver.close();
    const crashed = openFile(`${file}.crashed`);
    const found = [versionOf(crashed), scalar(crashed, "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'")];
    crashed.close();
    expect(found).toEqual([LATEST_VERSION, 0]);
  });

  it("run once when several processes open a new ledger at the same moment", async () => {
    const file = testFile();
    const children = Array.from({ length: 4 }, () => new Child("migrator", [file]));
    await Promise.all(children.map((child) => child.until((said) => said === "ready")));
    for (const child of children) child.tell("go");
    const found = await Promise.all(
      children.map((child) => child.until<{ version: number }>((said) => typeof said === "object")),
    );
    expect(found.map(({ version }) => version)).toEqual(children.map(() => LATEST_VERSION));
    const store = await openStore({ file, inline: true });
    expect(await store.check()).toEqual([]);
  });
});
