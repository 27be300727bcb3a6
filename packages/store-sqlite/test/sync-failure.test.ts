import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Driver, Statement } from "../src/driver/driver.ts";
import { Child } from "./support/child.ts";
import { testFile, testFolder } from "./support/folder.ts";
import { canShim, shim } from "./support/shim.ts";
import { hearing, openStore, openWrapped, rejection } from "./support/stores.ts";
import { newTask, newTasks } from "./support/tasks.ts";

/** As the library words it when the system's sync fails. */
function syncError(): Error {
  return Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_FSYNC" });
}

/** Lets `fail` decide, before each statement, whether its sync fails. */
function failing(fail: (sql: string) => boolean): (driver: Driver) => Driver {
  return (driver) => ({
    name: driver.name,
    exec(sql) {
      if (fail(sql)) throw syncError();
      driver.exec(sql);
    },
    prepare(sql): Statement {
      const statement = driver.prepare(sql);
      return {
        run: (...parameters) => statement.run(...parameters),
        all: (...parameters) => statement.all(...parameters),
        get(...parameters) {
          if (fail(sql)) throw syncError();
          return statement.get(...parameters);
        },
      };
    },
    close: () => driver.close(),
  });
}

describe("a failed sync", () => {
  it("is fatal: the batch and everything after it gets the error, once it is told", async () => {
    const file = testFile();
    let broken = false;
    const { heard, listener } = hearing();
    const store = await openWrapped(
      { file },
      failing((sql) => broken && sql === "COMMIT"),
      listener,
    );
    await store.insert([newTask("safe")], "normal", 1);
    broken = true;
    const both = [store.insert([newTask("lost")], "normal", 1), store.insert([newTask("lost-too")], "express", 1)];
    const errors = await Promise.all(both.map(rejection));
    expect(errors.map(({ code }) => code)).toEqual(["ledger_sync_failed", "ledger_sync_failed"]);
    broken = false;
    expect(await rejection(store.insert([newTask("late")], "normal", 1))).toMatchObject({ code: "ledger_sync_failed" });
    expect(await rejection(store.get([newTask("safe").id]))).toMatchObject({ code: "ledger_sync_failed" });
    expect(heard.fatal).toMatchObject([{ code: "ledger_sync_failed", retryable: false }]);
    await store.close();
    const again = await openStore({ file, inline: true });
    expect(await again.get([newTask("safe").id])).toMatchObject([{ id: "safe" }]);
  });

  it("is fatal also when the log is copied back, which the library's own checkpoint would keep to itself", async () => {
    let broken = false;
    const { heard, listener } = hearing();
    const wrap = failing((sql) => broken && sql.includes("wal_checkpoint(PASSIVE)"));
    const store = await openWrapped({ file: testFile() }, wrap, listener);
    broken = true;
    const fatal = heard.nextFatal();
    const payload = JSON.stringify("x".repeat(200_000));
    const large = store.insert(newTasks(100, "large", { payload }), "normal", 1);
    expect(await fatal).toMatchObject({ code: "ledger_sync_failed" });
    expect(await large).toHaveLength(100);
  });

  it("of another kind of write is not: the batch is refused and the next one goes through", async () => {
    let broken = false;
    const { heard, listener } = hearing();
    const wrap = (driver: Driver): Driver => ({
      name: driver.name,
      exec(sql) {
        if (broken && sql === "COMMIT")
          throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_WRITE" });
        driver.exec(sql);
      },
      prepare: (sql) => driver.prepare(sql),
      close: () => driver.close(),
    });
    const store = await openWrapped({ file: testFile() }, wrap, listener);
    broken = true;
    const error = await rejection(store.insert([newTask("once")], "normal", 1));
    expect(error).toMatchObject({ code: "ledger_unavailable", retryable: true });
    broken = false;
    expect(await store.insert([newTask("once")], "normal", 1)).toMatchObject([{ kind: "created" }]);
    expect(heard.fatal).toEqual([]);
  });

  it.skipIf(!canShim)(
    "of a real file is found, told, and survived by what was acknowledged (needs Linux and gcc)",
    async () => {
      const folder = testFolder();
      const data = join(folder, "data");
      const trigger = join(folder, "broken");
      mkdirSync(data);
      const env = shim("failing-sync", folder, { GIVEWAY_SHIM_FOLDER: data, GIVEWAY_SHIM_TRIGGER: trigger });
      const file = join(data, "ledger.db");
      const child = new Child("sync-failure", [file], { env });
      await child.until<{ open?: true }>(({ open }) => open === true);
      child.tell("safe");
      await child.until<{ id?: string }>(({ id }) => id === "safe");
      writeFileSync(trigger, "");
      child.tell("lost");
      const lost = await child.until<{ id?: string; code?: string }>(({ id }) => id === "lost");
      const told = await child.until<{ fatal?: string }>(({ fatal }) => fatal !== undefined);
      rmSync(trigger);
      child.tell("late");
      const late = await child.until<{ id?: string; code?: string }>(({ id }) => id === "late");
      expect([lost.code, told.fatal, late.code]).toEqual(Array(3).fill("ledger_sync_failed"));
      await child.kill();
      const store = await openStore({ file, inline: true });
      expect(await store.get([newTask("safe").id])).toMatchObject([{ id: "safe" }]);
      expect(await store.check()).toEqual([]);
    },
  );
});
