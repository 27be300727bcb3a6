import {
  type Fence,
  fence,
  type Settlement,
  settleExpired,
  settleFailure,
  settleGiveWay,
  settleRelease,
  settleSnooze,
  settleSuccess,
  settleUnclaim,
  taskKey,
} from "@giveway/kernel";
import { expect } from "vitest";
import type { ClaimedTask } from "../task-store.ts";
import { BROKEN, lanesOf, N1, N2, runOf, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import type { Subject } from "./support/subject.ts";

const LOG = [{ at: T0, level: "warn", text: "careful" }] as const;

export function settleSuite(harness: Harness): void {
  ends(harness);
  returns(harness);
  places(harness);
  refusals(harness);
  losses(harness);
}

async function running(s: Subject, id = "a"): Promise<ClaimedTask> {
  await s.ready(id);
  return s.claimOne();
}

async function prefetched(s: Subject, id = "a"): Promise<ClaimedTask> {
  await s.ready(id);
  return (await s.claim({ lanes: lanesOf({ standard: 1 }, {}) })).tasks[0] as ClaimedTask;
}

function ends({ test }: Harness): void {
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

function returns({ test }: Harness): void {
  test("a retry with a delay waits for its due time and arrives anew", async (s) => {
    const task = await running(s);
    s.now += 10;
    expect(await s.fail(task, 1_000)).toEqual({ kind: "applied", seq: null });
    expect(await s.get("a")).toMatchObject({
      state: "waiting",
      seq: null,
      since: null,
      dueAt: s.now + 1_000,
      failures: 1,
      attempt: 1,
      node: null,
      claimedAt: null,
      startedAt: null,
      endedAt: null,
      lastOutcome: "failed",
      lastError: BROKEN,
      fence: 1,
      version: 3,
    });
    expect(await s.claimIds()).toEqual([]);
    s.now += 1_000;
    expect(await s.claimOne()).toMatchObject({ id: "a", attempt: 2, fence: 2, failures: 1, since: s.now });
  });

  test("a retry without a delay is ready anew, behind those that wait", async (s) => {
    const task = await running(s);
    await s.ready("b");
    s.now += 10;
    const outcome = await s.fail(task, 0);
    const row = await s.get("a");
    expect(outcome).toEqual({ kind: "applied", seq: row.seq });
    expect(row).toMatchObject({ since: s.now });
    expect(await s.claimIds()).toEqual(["b", "a"]);
  });

  test("its attempt goes into the history in the same write", async (s) => {
    const task = await running(s);
    s.now += 10;
    const failure = { outcome: "failed", error: BROKEN, delay: 5, reason: "retries_exhausted" } as const;
    await s.settle(task, settleFailure(runOf(task, s.now, { log: LOG, startedAt: T0 }), failure));
    expect((await s.store.history(task.id))?.attempts).toEqual([
      { attempt: 1, outcome: "failed", node: N1, startedAt: T0, endedAt: s.now, error: BROKEN, log: LOG },
    ]);
  });

  test("a snooze: no failure, ready anew then", async (s) => {
    const task = await running(s);
    await s.settle(task, settleSnooze(runOf(task, s.now), 500));
    expect(await s.get("a")).toMatchObject({
      state: "waiting",
      failures: 0,
      dueAt: s.now + 500,
      seq: null,
      lastOutcome: "snoozed",
    });
  });

  test("a release keeps place and retries, and its attempt stays in the history", async (s) => {
    const task = await running(s);
    await s.ready("b");
    s.now += 10;
    expect(await s.settle(task, settleRelease(runOf(task, s.now)))).toEqual({ kind: "applied", seq: task.seq });
    expect(await s.get("a")).toMatchObject({ since: T0, failures: 0, attempt: 1, lastOutcome: "released", node: null });
    expect((await s.store.history(task.id))?.attempts).toMatchObject([{ attempt: 1, outcome: "released" }]);
    expect(await s.claimIds()).toEqual(["a", "b"]);
  });

  test("giving way keeps the place and brings a checkpoint for the next attempt", async (s) => {
    const task = await running(s);
    await s.ready("b");
    await s.settle(task, settleGiveWay(runOf(task, s.now), '{"step":3}'));
    expect(await s.claimOne()).toMatchObject({
      id: "a",
      seq: task.seq,
      since: T0,
      checkpoint: '{"step":3}',
      attempt: 2,
    });
  });

  test("a success drops the checkpoint", async (s) => {
    const task = await running(s);
    await s.settle(task, settleGiveWay(runOf(task, s.now), '"here"'));
    await s.succeed(await s.claimOne());
    expect((await s.get("a")).checkpoint).toBeNull();
  });

  test("unclaiming leaves no trace but the fence", async (s) => {
    const task = await prefetched(s);
    const before = await s.get("a");
    await s.settle(task, settleUnclaim(runOf(task, s.now)));
    expect(await s.get("a")).toEqual({
      ...before,
      state: "waiting",
      node: null,
      claimedAt: null,
      version: before.version + 1,
    });
    expect((await s.store.history(task.id))?.attempts).toEqual([]);
  });

  test("unclaiming keeps how the attempt before ended", async (s) => {
    await s.fail(await running(s), 0);
    const { tasks } = await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
    const task = tasks[0] as ClaimedTask;
    await s.settle(task, settleUnclaim(runOf(task, s.now)));
    expect(await s.get("a")).toMatchObject({ lastOutcome: "failed", lastError: BROKEN, attempt: 1, failures: 1 });
    expect((await s.store.history(task.id))?.attempts).toHaveLength(1);
  });
}

function places({ test }: Harness): void {
  const settled = async (s: Subject, more: Partial<Settlement>) => {
    const task = await running(s);
    s.now += 10;
    await s.settle(task, { ...settleRelease(runOf(task, s.now)), ...more });
    return { task, row: await s.get("a") };
  };

  test("keep: the same place and clock", async (s) => {
    const { task, row } = await settled(s, { place: "keep" });
    expect([row.seq, row.since]).toEqual([task.seq, T0]);
  });

  test("anew: a later place and a fresh clock", async (s) => {
    const { task, row } = await settled(s, { place: "anew" });
    expect(row.seq).toBeGreaterThan(task.seq);
    expect(row.since).toBe(s.now);
  });

  test("keep with a due time ahead: its place is gone, it arrives anew then", async (s) => {
    const { row } = await settled(s, { place: "keep", dueAt: T0 + 1_000 });
    expect([row.seq, row.since]).toEqual([null, null]);
    s.now = T0 + 1_000;
    expect(await s.claimOne()).toMatchObject({ since: T0 + 1_000 });
  });

  test("a place is never given twice", async (s) => {
    const seen = new Set<number>();
    await s.ready(...Array.from({ length: 10 }, (_, n) => `t${n}`));
    for (let round = 0; round < 10; round += 1) {
      const { tasks } = await s.claim();
      expect(tasks).toHaveLength(10);
      for (const task of tasks) {
        expect(seen.has(task.seq)).toBe(false);
        seen.add(task.seq);
        await s.fail(task, 0);
      }
    }
  });
}

function refusals({ test }: Harness): void {
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

function losses({ test }: Harness): void {
  test("a started task of a dead node: lost, uses a retry, ready anew", async (s) => {
    const task = await running(s);
    s.now += 100;
    await s.lose("a");
    expect(await s.get("a")).toMatchObject({
      state: "waiting",
      failures: 1,
      losses: 1,
      attempt: 1,
      lastOutcome: "lost",
      since: s.now,
      node: null,
    });
    expect((await s.store.history(task.id))?.attempts).toMatchObject([{ outcome: "lost", node: N1 }]);
  });

  test("the third loss is the end: poison", async (s) => {
    await s.ready("a");
    for (let round = 1; round <= 3; round += 1) {
      await s.claimOne();
      await s.lose("a");
    }
    const task = await s.get("a");
    expect(task).toMatchObject({ state: "dead", endReason: "poison", losses: 3, attempt: 3, lastOutcome: "lost" });
    const history = await s.store.history(task.id);
    expect(history?.attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, "lost"],
      [2, "lost"],
      [3, "lost"],
    ]);
  });
}
