import {
  type Settlement,
  settleFailure,
  settleGiveWay,
  settleRelease,
  settleSnooze,
  settleUnclaim,
} from "@giveway/kernel";
import { expect } from "vitest";
import type { ClaimedTask } from "../task-store.ts";
import { BROKEN, lanesOf, N1, runOf, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import { LOG, prefetched, running } from "./support/held.ts";
import type { Subject } from "./support/subject.ts";

/** Settlements after which it waits again, and where; take-overs of dead nodes among them. */
export function settleReturnsSuite(harness: Harness): void {
  returns(harness);
  places(harness);
  losses(harness);
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
