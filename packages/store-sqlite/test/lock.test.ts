import { describe, expect, it } from "vitest";
import { Child } from "./support/child.ts";
import { testFile } from "./support/folder.ts";
import { openStore, rejection } from "./support/stores.ts";
import { NODE, newTask, newTasks, register } from "./support/tasks.ts";

async function holder(file: string): Promise<Child> {
  const child = new Child("lock", [file]);
  await child.until((said) => said === "locked");
  return child;
}

/** Calls made in this turn of the loop are on their way to the ledger after it. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("V-38: another process holds the write lock", () => {
  it("for a while: writes wait for it and reads don't", async () => {
    const file = testFile();
    const store = await openStore({ file });
    await register(store);
    await store.insert([newTask("before")], "normal", 1);
    const child = await holder(file);
    const insert = store.insert([newTask("meanwhile")], "express", 1);
    await nextTurn();
    // The insert can't have been written: its lock is held until this test lets go.
    const seen = await store.get([newTask("before").id, newTask("meanwhile").id]);
    expect(seen.map((task) => task?.id ?? null)).toEqual(["before", null]);
    expect(await store.depths()).toHaveLength(1);
    child.tell("release");
    expect(await insert).toMatchObject([{ kind: "created" }]);
  });

  it("for longer than the busy time-out: writes are refused in one clear line, then succeed; the lease survives", async () => {
    const file = testFile();
    const store = await openStore({ file, busyTimeout: 50 });
    await register(store);
    const [before] = await store.nodes();
    const child = await holder(file);
    const error = await rejection(store.insert([newTask("too-early")], "express", 1));
    expect(error).toMatchObject({ code: "ledger_busy", retryable: true });
    expect(error.message).not.toContain("\n");
    // Beats are tried again by themselves until the lock is free.
    const beat = store.beat(NODE, 2);
    await rejection(store.insert([newTask("too-early")], "express", 1));
    child.tell("release");
    const answer = await beat;
    expect(answer.alive).toBe(true);
    expect(answer.waitedForLock).toBeGreaterThanOrEqual(50);
    const [after] = await store.nodes();
    expect(after?.lastBeat).toBeGreaterThan(before?.lastBeat ?? 0);
    expect(await store.insert([newTask("too-early")], "express", 1)).toMatchObject([{ kind: "created" }]);
  });

  it("refuses each call of the batch and writes nothing of any", async () => {
    const file = testFile();
    const store = await openStore({ file, busyTimeout: 20, inline: true });
    const child = await holder(file);
    const calls = [store.insert(newTasks(3, "a"), "normal", 1), store.insert(newTasks(3, "b"), "bulk", 1)];
    const outcomes = await Promise.all(calls.map(rejection));
    child.tell("release");
    await child.until((said) => said === "released");
    expect(outcomes.map(({ code }) => code)).toEqual(["ledger_busy", "ledger_busy"]);
    expect(await store.depths()).toEqual([]);
  });
});

describe("waiting for the lock", () => {
  it("is reported once, with the next beat", async () => {
    const file = testFile();
    const store = await openStore({ file });
    await register(store);
    const child = await holder(file);
    const insert = store.insert([newTask("waits")], "normal", 1);
    await nextTurn();
    await store.get([newTask("waits").id]);
    child.tell("release");
    await insert;
    const first = await store.beat(NODE, 1);
    const second = await store.beat(NODE, 2);
    expect(second.waitedForLock).toBeLessThanOrEqual(first.waitedForLock ?? 0);
  });
});
