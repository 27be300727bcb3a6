import { fence, settleSuccess, taskKey } from "@giveway/kernel";
import { expect } from "vitest";
import type { ClaimedTask } from "../task-store.ts";
import { lanesOf, runOf, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import type { Subject } from "./support/subject.ts";

/** What is recorded while a task is held: starts and progress. */
export function runningSuite({ test }: Harness): void {
  const prefetched = async (s: Subject, id: string): Promise<ClaimedTask> => {
    await s.ready(id);
    const { tasks } = await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
    return tasks[0] as ClaimedTask;
  };
  const mark = (task: ClaimedTask, more: object = {}) => ({
    key: task.key,
    fence: task.fence,
    attempt: task.attempt + 1,
    startedAt: T0 + 5,
    ...more,
  });

  test("a prefetched task is recorded as started", async (s) => {
    const task = await prefetched(s, "a");
    expect(await s.store.markStarted([mark(task)])).toEqual([true]);
    expect(await s.get("a")).toMatchObject({ state: "running", startedAt: T0 + 5, attempt: 1, version: 3, fence: 1 });
  });

  test("recording it again is harmless", async (s) => {
    const task = await prefetched(s, "a");
    await s.store.markStarted([mark(task)]);
    const before = await s.get("a");
    expect(await s.store.markStarted([mark(task), mark(task)])).toEqual([true, true]);
    expect(await s.get("a")).toEqual(before);
  });

  test("a stale fence, an ended or an unknown task: false, item by item", async (s) => {
    const stale = await prefetched(s, "stale");
    await s.lose("stale");
    const again = await s.claim({ lanes: lanesOf({ standard: 1 }) });
    expect(again.tasks).toHaveLength(1);
    const cancelled = await prefetched(s, "cancelled");
    await s.cancel("cancelled");
    const good = await prefetched(s, "good");
    const unknown = { ...mark(good), key: taskKey(987_654) };
    const before = await s.get("stale");
    expect(await s.store.markStarted([mark(stale), mark(cancelled), mark(good), unknown])).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(await s.get("stale")).toEqual(before);
    expect(await s.get("cancelled")).toMatchObject({ state: "cancelled", startedAt: null, attempt: 0 });
  });

  test("progress is kept while it runs, and changes no version", async (s) => {
    await s.ready("a");
    const task = await s.claimOne();
    const before = await s.get("a");
    await s.store.saveProgress([{ key: task.key, fence: task.fence, progress: '{"done":1}' }]);
    await s.store.saveProgress([{ key: task.key, fence: task.fence, progress: '{"done":2}' }]);
    expect(await s.get("a")).toEqual({ ...before, progress: '{"done":2}' });
    await s.succeed(task);
    expect((await s.get("a")).progress).toBe('{"done":2}');
  });

  test("progress under a stale fence, of an ended or unknown task is ignored", async (s) => {
    await s.ready("a");
    const task = await s.claimOne();
    await s.store.saveProgress([
      { key: task.key, fence: fence(task.fence + 1), progress: "1" },
      { key: taskKey(987_654), fence: task.fence, progress: "2" },
    ]);
    expect((await s.get("a")).progress).toBeNull();
    await s.succeed(task);
    await s.store.saveProgress([{ key: task.key, fence: task.fence, progress: "3" }]);
    expect((await s.get("a")).progress).toBeNull();
  });

  test("a start clears progress and log of the attempt before", async (s) => {
    await s.ready("a");
    const first = await s.claimOne();
    await s.store.saveProgress([{ key: first.key, fence: first.fence, progress: "0.5" }]);
    const log = [{ at: T0, level: "info", text: "line one" }] as const;
    const facts = runOf(first, s.now, { log });
    await s.settle(first, {
      ...settleSuccess(facts, "1"),
      event: "retry",
      state: "waiting",
      outcome: "failed",
      result: null,
    });
    expect(await s.get("a")).toMatchObject({ progress: "0.5", log });
    await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
    expect(await s.get("a")).toMatchObject({ progress: "0.5", log });
    const held = await s.get("a");
    await s.store.markStarted([{ key: held.key, fence: held.fence, attempt: 2, startedAt: s.now }]);
    expect(await s.get("a")).toMatchObject({ progress: null, log: [], attempt: 2, lastOutcome: "failed" });
  });

  test("empty batches", async (s) => {
    expect(await s.store.markStarted([])).toEqual([]);
    expect(await s.store.saveProgress([])).toBeUndefined();
  });
}
