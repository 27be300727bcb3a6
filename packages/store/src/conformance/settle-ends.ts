import { settleExpired, settleFailure, settleSuccess } from "@giveway/kernel";
import { expect } from "vitest";
import { BROKEN, N1, runOf, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import { LOG, prefetched, running } from "./support/held.ts";

/** Settlements that end a task. */
export function settleEndsSuite({ test }: Harness): void {
  test("success", async (s) => {
    const task = await running(s);
    const before = await s.get("a");
    s.now += 40;
    const facts = runOf(task, s.now, { log: LOG, startedAt: T0 });
    expect(await s.settle(task, settleSuccess(facts, '{"ok":true}'))).toEqual({ kind: "applied", seq: null });
    expect(await s.get("a")).toEqual({
      ...before,
      state: "succeeded",
      seq: null,
      since: null,
      version: 3,
      updatedAt: s.now,
      endedAt: s.now,
      lastOutcome: "succeeded",
      endReason: "succeeded",
      result: '{"ok":true}',
      log: LOG,
    });
    expect(await s.claimIds()).toEqual([]);
  });

  test("death keeps the error and everything else", async (s) => {
    const task = await running(s);
    s.now += 40;
    const failure = { outcome: "timed_out", error: BROKEN, delay: null, reason: "not_retryable" } as const;
    await s.settle(task, settleFailure(runOf(task, s.now, { log: LOG, startedAt: T0 }), failure));
    expect(await s.get("a")).toMatchObject({
      state: "dead",
      lastOutcome: "timed_out",
      lastError: BROKEN,
      endReason: "not_retryable",
      endedAt: s.now,
      startedAt: T0,
      node: N1,
      attempt: 1,
      log: LOG,
      result: null,
    });
  });

  test("expiry of one that was only claimed", async (s) => {
    const task = await prefetched(s);
    await s.settle(task, settleExpired(runOf(task, s.now)));
    expect(await s.get("a")).toMatchObject({
      state: "cancelled",
      endReason: "expired",
      lastOutcome: null,
      attempt: 0,
      startedAt: null,
      endedAt: s.now,
    });
    expect((await s.store.history(task.id))?.attempts).toEqual([]);
  });

  test("an end without a recorded start leaves its attempt in the history", async (s) => {
    const task = await prefetched(s);
    const facts = runOf(task, s.now, { started: true, attempt: 1, startedAt: null });
    const failure = { outcome: "failed", error: BROKEN, delay: null, reason: "invalid_payload" } as const;
    await s.settle(task, settleFailure(facts, failure));
    expect((await s.get("a")).startedAt).toBeNull();
    expect((await s.store.history(task.id))?.attempts).toEqual([
      { attempt: 1, outcome: "failed", node: N1, startedAt: null, endedAt: s.now, error: BROKEN, log: [] },
    ]);
  });

  test("a success of a prefetched task brings its start along", async (s) => {
    const task = await prefetched(s);
    s.now += 3;
    const facts = runOf(task, s.now, { started: true, attempt: 1, startedAt: T0 + 1 });
    await s.settle(task, settleSuccess(facts, "1"));
    expect(await s.get("a")).toMatchObject({ state: "succeeded", attempt: 1, startedAt: T0 + 1, endedAt: T0 + 3 });
    expect((await s.store.history(task.id))?.attempts).toMatchObject([{ attempt: 1, outcome: "succeeded" }]);
  });

  test("a success after failures forgets the error, and keeps count of them", async (s) => {
    await s.fail(await running(s), 0);
    await s.succeed(await s.claimOne());
    expect(await s.get("a")).toMatchObject({ lastOutcome: "succeeded", lastError: null, failures: 1, attempt: 2 });
  });

  test("results of any JSON shape and a large one come back as they were", async (s) => {
    const results = ["null", "0", '""', "[]", '{"a":[1,{"b":"ü\\n"}]}', JSON.stringify("x".repeat(1_000_000))];
    for (const [n, result] of results.entries()) {
      await s.succeed(await running(s, `r${n}`), result);
      expect((await s.get(`r${n}`)).result).toBe(result);
    }
  });
}
