import { type Fence, fence, settleFailure, settleSuccess, settleUnclaim, taskKey } from "@giveway/kernel";
import { expect } from "vitest";
import type { ClaimedTask } from "../task-store.ts";
import { BROKEN, N2, runOf } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import { prefetched, running } from "./support/held.ts";
import type { Subject } from "./support/subject.ts";

/** Settlements that come too late. */
export function settleRefusalsSuite({ test }: Harness): void {
  const attempt = async (s: Subject, task: ClaimedTask, more: { readonly fence?: Fence } = {}) => {
    const settlement = settleSuccess(runOf(task, s.now), "1");
    const [outcome] = await s.store.settle([{ key: task.key, fence: task.fence, settlement, ...more }], s.now);
    return outcome;
  };

  test("under a fence that is too old or too new", async (s) => {
    const first = await prefetched(s);
    await s.settle(first, settleUnclaim(runOf(first, s.now)));
    const second = await s.claimOne({ node: N2 });
    const before = await s.get("a");
    expect(await attempt(s, first)).toEqual({ kind: "refused", state: "running" });
    expect(await attempt(s, second, { fence: fence(second.fence + 1) })).toEqual({ kind: "refused", state: "running" });
    expect(await s.get("a")).toEqual(before);
    expect(await attempt(s, second)).toMatchObject({ kind: "applied" });
  });

  test("after a cancel, and after it was run again", async (s) => {
    const task = await running(s);
    await s.cancel("a");
    const before = await s.get("a");
    expect(await attempt(s, task)).toEqual({ kind: "refused", state: "cancelled" });
    expect(await s.get("a")).toEqual(before);
    await s.rerun("a");
    expect(await attempt(s, task)).toEqual({ kind: "refused", state: "waiting" });
    await s.claimOne();
    expect(await attempt(s, task)).toEqual({ kind: "refused", state: "running" });
  });

  test("a second time, also within one batch", async (s) => {
    const task = await running(s);
    const op = { key: task.key, fence: task.fence, settlement: settleSuccess(runOf(task, s.now), "1") };
    const dead = settleFailure(runOf(task, s.now), {
      outcome: "failed",
      error: BROKEN,
      delay: null,
      reason: "retries_exhausted",
    });
    expect(await s.store.settle([op, { ...op, settlement: dead }, op], s.now)).toEqual([
      { kind: "applied", seq: null },
      { kind: "refused", state: "succeeded" },
      { kind: "refused", state: "succeeded" },
    ]);
    expect(await attempt(s, task)).toEqual({ kind: "refused", state: "succeeded" });
    expect(await s.get("a")).toMatchObject({ state: "succeeded", result: "1" });
  });

  test("of a task that is gone or never was", async (s) => {
    const task = await running(s);
    await s.succeed(task);
    await s.remove("a");
    expect(await attempt(s, task)).toEqual({ kind: "refused", state: null });
    expect(await attempt(s, { ...task, key: taskKey(987_654) })).toEqual({ kind: "refused", state: null });
  });

  test("each item of a batch is judged by itself, in its order", async (s) => {
    await s.ready(...Array.from({ length: 6 }, (_, n) => `t${n}`));
    const { tasks } = await s.claim();
    await s.cancel("t1");
    const ops = tasks.map((task, n) => ({
      key: task.key,
      fence: n === 4 ? fence(9) : task.fence,
      settlement:
        n % 2 === 0
          ? settleSuccess(runOf(task, s.now), `${n}`)
          : settleFailure(runOf(task, s.now), { outcome: "failed", error: BROKEN, delay: 7, reason: "poison" }),
    }));
    const outcomes = await s.store.settle(ops, s.now);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      "applied",
      "refused",
      "applied",
      "applied",
      "refused",
      "applied",
    ]);
    const states = await Promise.all(tasks.map(({ id }) => s.get(id)));
    expect(states.map(({ state }) => state)).toEqual([
      "succeeded",
      "cancelled",
      "succeeded",
      "waiting",
      "running",
      "waiting",
    ]);
  });

  test("an empty batch", async (s) => {
    expect(await s.store.settle([], s.now)).toEqual([]);
  });
}
