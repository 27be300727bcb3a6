import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TaskStore } from "@giveway/store";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Driver } from "../src/driver/driver.ts";
import { testFile } from "./support/folder.ts";
import { hearing, openStore, openWrapped, rejection } from "./support/stores.ts";
import { claimRequest, newTask, newTasks, register, settleAll, success } from "./support/tasks.ts";

const MIB = 1024 * 1024;

/** A small volume of the test's own, or null where mounting is not permitted. */
function smallVolume(bytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), "giveway-volume-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder], { stdio: "ignore" });
  if (mounted.status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}

const probe = smallVolume(MIB);
if (probe !== null) unmount(probe);
const canMount = probe !== null;

function unmount(folder: string): void {
  spawnSync("umount", [folder], { stdio: "ignore" });
  rmSync(folder, { recursive: true, force: true });
}

/** Writes until nothing more fits. */
function fill(folder: string): string {
  const path = join(folder, "filler");
  for (const size of [MIB, 65_536, 4_096]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size, 1), { flag: "a" });
    } catch {
      // Full to within this size.
    }
  }
  return path;
}

/** Repeats a submit that is refused for want of space until it goes through. */
async function insertOnceThereIsRoom(store: TaskStore, id: string): Promise<void> {
  for (;;) {
    try {
      await store.insert([newTask(id)], "normal", 1);
      return;
    } catch (error) {
      expect(error).toMatchObject({ code: "ledger_full" });
    }
  }
}

/** The ballast is made in the background; its name appears once it is complete. */
async function untilBallast(file: string): Promise<void> {
  while (!existsSync(`${file}-ballast`)) await new Promise((resolve) => setImmediate(resolve));
}

describe("V-39: a full disk", () => {
  it.skipIf(!canMount)(
    "refuses new tasks, lets running ones end, and recovers without a restart (needs mount)",
    async () => {
      const folder = smallVolume(24 * MIB) ?? "";
      onTestFinished(() => unmount(folder));
      const file = join(folder, "ledger.db");
      const { heard, listener } = hearing();
      const store = await openStore({ file, ballast: 4 * MIB, minFree: MIB }, listener);
      onTestFinished(() => store.close());
      await register(store);
      await store.insert(newTasks(400), "normal", 1);
      const { tasks } = await store.claim(claimRequest(2, { limit: 200 }));
      await untilBallast(file);
      const filler = fill(folder);

      const refused = await rejection(
        store.insert(newTasks(500, "more", { payload: JSON.stringify("x".repeat(9_000)) }), "normal", 3),
      );
      expect(refused).toMatchObject({ code: "ledger_full", retryable: true });
      // Results far larger than what is left in the pages at hand.
      const result = JSON.stringify("r".repeat(9_000));
      const outcomes = await store.settle(
        tasks.map((task) => ({ key: task.key, fence: task.fence, settlement: success(task, 4, { result }) })),
        4,
      );
      expect(outcomes.every(({ kind }) => kind === "applied")).toBe(true);
      expect(existsSync(`${file}-ballast`)).toBe(false);
      expect(await rejection(store.insert([newTask("still-full")], "express", 5))).toMatchObject({
        code: "ledger_full",
      });
      expect(await store.check()).toEqual([]);

      rmSync(filler);
      await insertOnceThereIsRoom(store, "welcome-back");
      const rest = await store.claim(claimRequest(6));
      expect(rest.tasks).toHaveLength(201);
      await settleAll(store, rest.tasks, 7);
      expect(await store.totals()).toMatchObject([{ state: "succeeded", count: 401 }]);
      expect(await store.check()).toEqual([]);
      expect(heard.fatal).toEqual([]);
      await untilBallast(file);
    },
  );

  it("gives up the ballast for settlements, not for inserts", async () => {
    const file = testFile();
    // Full for as long as the ballast is there.
    let full = false;
    const wrap = (driver: Driver): Driver => ({
      name: driver.name,
      exec(sql) {
        if (full && sql === "COMMIT" && existsSync(`${file}-ballast`)) {
          throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
        }
        driver.exec(sql);
      },
      prepare: (sql) => driver.prepare(sql),
      close: () => driver.close(),
    });
    const store = await openWrapped({ file, ballast: 8_192 }, wrap);
    await register(store);
    await store.insert(newTasks(2), "normal", 1);
    const { tasks } = await store.claim(claimRequest(1));
    await untilBallast(file);
    expect(statSync(`${file}-ballast`).size).toBe(8_192);
    full = true;
    const alone = await rejection(store.insert([newTask("alone")], "express", 2));
    expect(alone).toMatchObject({ code: "ledger_full" });
    expect(existsSync(`${file}-ballast`)).toBe(true);
    const together = [settleAll(store, tasks, 2), rejection(store.insert([newTask("beside")], "express", 2))] as const;
    await together[0];
    expect(await together[1]).toMatchObject({ code: "ledger_full" });
    expect(existsSync(`${file}-ballast`)).toBe(false);
    expect(await store.totals()).toMatchObject([{ count: 2 }]);
    expect(await store.check()).toEqual([]);
  });

  it("refuses new tasks below the mark, before anything is written", async () => {
    const store = await openStore({ file: testFile(), inline: true, minFree: Number.MAX_SAFE_INTEGER });
    await register(store);
    const error = await rejection(store.insert([newTask("none")], "express", 1));
    expect(error).toMatchObject({ code: "ledger_full", retryAfter: 1_000 });
    expect(error.message).not.toContain("\n");
    expect((await store.beat(newTask("x").id as never, 1)).alive).toBe(false);
  });

  it("keeps no ballast where none is wanted, and leaves no half-made one behind", async () => {
    const file = testFile();
    const none = await openStore({ file, inline: true });
    await none.close();
    const folder = join(file, "..");
    expect(readdirSync(folder)).toEqual(["ledger.db"]);
    mkdirSync(join(folder, "other"));
    const hasty = await openStore({ file: join(folder, "other", "ledger.db"), inline: true, ballast: 64 * MIB });
    await hasty.close();
    expect(readdirSync(join(folder, "other")).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});
