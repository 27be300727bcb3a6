import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFile } from "./support/folder.ts";
import { openStore, rejection } from "./support/stores.ts";
import { newTask, newTasks } from "./support/tasks.ts";

describe("backup", () => {
  it.each([true, false])("copies a consistent ledger while writing goes on (inline: %s)", async (inline) => {
    const file = testFile();
    const target = join(dirname(file), "copies", "ledger.db");
    const store = await openStore({ file, inline });
    await store.insert(newTasks(3_000, "before"), "normal", 1);
    let writing = true;
    const writer = (async () => {
      for (let index = 0; writing; index += 1) await store.insert([newTask(`during-${index}`)], "normal", 1);
    })();
    const { bytes } = await store.backup(target);
    writing = false;
    await writer;
    expect(bytes).toBeGreaterThan(0);
    expect(readdirSync(dirname(target))).toEqual(["ledger.db"]);
    const copy = await openStore({ file: target, inline: true });
    expect(await copy.check()).toEqual([]);
    const [depth] = await copy.depths();
    expect(depth?.ready).toBeGreaterThanOrEqual(3_000);
    expect(await copy.get([newTask("before-2999").id])).toMatchObject([{ state: "waiting" }]);
  });

  it("never overwrites", async () => {
    const file = testFile();
    const target = join(dirname(file), "taken");
    writeFileSync(target, "precious");
    const store = await openStore({ file });
    expect(await rejection(store.backup(target))).toMatchObject({ code: "invalid_option", field: "target" });
  });

  it("leaves nothing behind when it can't be written", async () => {
    const file = testFile();
    const store = await openStore({ file });
    const target = join(file, "inside-a-file");
    expect(await rejection(store.backup(target))).toMatchObject({ code: expect.stringMatching(/^ledger_/) });
    expect(existsSync(target)).toBe(false);
  });
});
