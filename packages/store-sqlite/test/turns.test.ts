import { GivewayError } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { CommitPump, type PendingWrite } from "../src/commit-pump.ts";
import type { WriteCall } from "../src/wire/calls.ts";
import { testFile } from "./support/folder.ts";
import { openStore, rejection } from "./support/stores.ts";
import { newTask, newTasks } from "./support/tasks.ts";

describe("turns of group commit", () => {
  it("let an express insert overtake a bulk insert of 100 000 rows", async () => {
    const commits: number[] = [];
    const store = await openStore({ file: testFile() }, { wake() {}, fatal() {}, committed: (n) => commits.push(n) });
    let bulkDone = false;
    const bulk = store.insert(newTasks(100_000, "bulk"), "bulk", 1).then((outcomes) => {
      bulkDone = true;
      return outcomes;
    });
    const express = await store.insert([newTask("urgent", { weight: 10 })], "express", 1);
    expect(express).toMatchObject([{ kind: "created" }]);
    expect(bulkDone).toBe(false);
    expect(commits.length).toBeLessThanOrEqual(2);
    const outcomes = await bulk;
    expect(outcomes.filter(({ kind }) => kind === "created")).toHaveLength(100_000);
    expect(Math.max(...commits)).toBeLessThanOrEqual(501);
    expect(await store.depths()).toEqual([
      expect.objectContaining({ weight: 5, ready: 100_000 }),
      expect.objectContaining({ weight: 10, ready: 1 }),
    ]);
  });

  it("put the calls of one turn of the loop into one commit", async () => {
    const commits: number[] = [];
    const store = await openStore({ file: testFile() }, { wake() {}, fatal() {}, committed: (n) => commits.push(n) });
    await Promise.all(Array.from({ length: 100 }, (_, index) => store.insert([newTask(`${index}`)], "normal", 1)));
    expect(commits).toEqual([100]);
  });

  it("commit everything pending before the store closes, and refuse what comes later", async () => {
    const file = testFile();
    const store = await openStore({ file });
    const pending = [store.insert(newTasks(1_200, "bulk"), "bulk", 1), store.insert([newTask("last")], "normal", 1)];
    const closing = store.close();
    const late = await rejection(store.insert([newTask("late")], "normal", 1));
    expect(late).toMatchObject({ code: "ledger_closed" });
    expect((await Promise.all(pending)).map(({ length }) => length)).toEqual([1_200, 1]);
    await closing;
    await store.close();
    const again = await openStore({ file, inline: true });
    expect(await again.depths()).toMatchObject([{ ready: 1_201 }]);
  });
});

describe("the commit pump", () => {
  /** A ledger that answers when the test says so. */
  function manual() {
    const asked: { calls: readonly WriteCall[]; answer: (ok: boolean) => void }[] = [];
    const target = {
      commit: (calls: readonly WriteCall[]) =>
        new Promise<{ results: { ok: true; answer: null }[]; ms: number }>((resolve, reject) => {
          const answer = (ok: boolean): void => {
            if (ok) resolve({ results: calls.map(() => ({ ok: true, answer: null })), ms: 1 });
            else reject(new GivewayError("ledger_unavailable", "gone"));
          };
          asked.push({ calls, answer });
        }),
    };
    return { asked, pump: new CommitPump(target, "ledger.db", () => {}) };
  }

  function write(pump: CommitPump, node: string): Promise<null> {
    return new Promise((accept, reject) => {
      const pending: PendingWrite<"forget"> = { name: "forget", encode: () => ({ node }), accept, reject };
      pump.push("change", pending, 1);
    });
  }

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("sends nothing while a commit is under way, then all that came in", async () => {
    const { asked, pump } = manual();
    const first = write(pump, "a");
    await turn();
    const others = [write(pump, "b"), write(pump, "c")];
    await turn();
    await turn();
    expect(asked.map(({ calls }) => calls.length)).toEqual([1]);
    asked[0]?.answer(true);
    await first;
    await turn();
    await turn();
    expect(asked.map(({ calls }) => calls.length)).toEqual([1, 2]);
    asked[1]?.answer(true);
    await Promise.all(others);
  });

  it("tells every caller when the ledger is gone, also those that still wait", async () => {
    const { asked, pump } = manual();
    const first = write(pump, "a");
    await turn();
    const second = write(pump, "b");
    asked[0]?.answer(false);
    expect(await rejection(first)).toMatchObject({ code: "ledger_unavailable" });
    pump.refuse(new GivewayError("ledger_sync_failed", "broken"));
    expect(await rejection(second)).toMatchObject({ code: "ledger_sync_failed" });
    expect(await rejection(write(pump, "c"))).toMatchObject({ code: "ledger_sync_failed" });
  });
});
