import { decideEdit, decideReplace, SYSTEM, settleGiveWay, taskId } from "@giveway/kernel";
import { expect } from "vitest";
import { BROKEN, lanesOf, MAIN, N1, N2, newTask, runOf, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

export function changeSuite(harness: Harness): void {
  whileWaiting(harness);
  whileRunning(harness);
  afterTheEnd(harness);
}

const RECORD = {
  at: T0,
  by: "ada",
  kind: "edited",
  before: '{"name":null}',
  after: '{"name":"b"}',
  cause: "because",
} as const;

function whileWaiting({ test }: Harness): void {
  test("every field of a patch is written, absent ones stay", async (s) => {
    await s.insert(newTask("a", { name: "old", overrides: { timeout: 5 } }));
    const before = await s.get("a");
    s.now += 10;
    const patch = {
      weight: 6,
      payload: '{"new":true}',
      name: null,
      overrides: { tags: ["t"] },
      failures: 2,
      losses: 1,
      lastOutcome: "failed",
      lastError: BROKEN,
      requestId: "another",
    } as const;
    const outcome = await s.changeOn(before, { patch, record: RECORD });
    const after = { ...before, ...patch, version: 2, updatedAt: s.now };
    expect(outcome).toEqual({ kind: "applied", task: after });
    expect(await s.get("a")).toEqual(after);
    expect((await s.store.history(before.id))?.changes).toEqual([RECORD]);
    expect(await s.claimOne()).toMatchObject({ weight: 6, payload: '{"new":true}', requestId: "another", failures: 2 });
  });

  test("a weight within the lane keeps the place", async (s) => {
    await s.ready("a", "b");
    const before = await s.get("b");
    s.now += 10;
    const change = await s.change("b", (task) => {
      const decision = decideEdit(task, { weight: 6 }, { policy: "express" }, s.now, SYSTEM);
      return decision ?? {};
    });
    expect(change).toMatchObject({ kind: "applied", task: { seq: before.seq, since: before.since, weight: 6 } });
    expect(await s.claimIds()).toEqual(["b", "a"]);
  });

  test("a new arrival gets a later place and a fresh clock", async (s) => {
    await s.insert(newTask("a"), newTask("x", { weight: 7 }));
    s.now += 10;
    await s.change("a", () => ({ patch: { weight: 7, place: "anew" } }));
    const [a, x] = [await s.get("a"), await s.get("x")];
    expect(a.since).toBe(s.now);
    expect(a.seq).toBeGreaterThan(Number(x.seq));
    expect(await s.claimIds()).toEqual(["x", "a"]);
  });

  test("kept places fit in between those of the other weight", async (s) => {
    await s.insert(newTask("a", { weight: 4 }), newTask("b"), newTask("c", { weight: 4 }), newTask("d"));
    await s.change("c", () => ({ patch: { weight: 5, place: "keep" } }));
    expect(await s.claimIds()).toEqual(["b", "c", "d", "a"]);
  });

  test("a ready task put off becomes delayed; brought forward it arrives anew", async (s) => {
    await s.ready("a", "b");
    const before = await s.get("a");
    await s.change("a", () => ({ patch: { dueAt: T0 + 500, place: "keep" } }));
    expect(await s.get("a")).toMatchObject({ state: "waiting", dueAt: T0 + 500, seq: null, since: null });
    expect(await s.store.nextDue()).toEqual([{ queue: MAIN, dueAt: T0 + 500 }]);
    s.now += 100;
    await s.change("a", () => ({ patch: { dueAt: s.now, place: "keep" } }));
    const after = await s.get("a");
    expect(after.since).toBe(s.now);
    expect(after.seq).toBeGreaterThan(Number(before.seq));
    expect(await s.claimIds()).toEqual(["b", "a"]);
  });

  test("a new due time that has passed leaves a ready task in its place, unless it arrives anew", async (s) => {
    await s.ready("a", "b");
    const before = await s.get("a");
    await s.change("a", () => ({ patch: { dueAt: T0 - 500 } }));
    expect(await s.get("a")).toMatchObject({ seq: before.seq, since: before.since, dueAt: T0 - 500 });
    await s.change("a", () => ({ patch: { dueAt: T0 - 400, place: "anew" } }));
    expect((await s.get("a")).seq).toBeGreaterThan(Number((await s.get("b")).seq));
  });

  test("a delayed task whose weight changes stays delayed, in the other lane's order", async (s) => {
    await s.insert(newTask("a", { dueAt: T0 + 10 }), newTask("b", { dueAt: T0 + 5 }));
    await s.change("a", () => ({ patch: { weight: 9, place: "anew" } }));
    expect(await s.get("a")).toMatchObject({ seq: null, weight: 9 });
    s.now += 10;
    await s.claim({ lanes: lanesOf({}) });
    expect(Number((await s.get("a")).seq)).toBeLessThan(Number((await s.get("b")).seq));
  });

  test("one whose due time has come but that no claim has moved stays so", async (s) => {
    await s.insert(newTask("a", { dueAt: T0 + 10 }));
    s.now += 10;
    await s.change("a", () => ({ patch: { name: "renamed", place: "keep" } }));
    expect((await s.get("a")).seq).toBeNull();
    expect(await s.claimIds()).toEqual(["a"]);
  });

  test("put in the place of a waiting task", async (s) => {
    await s.ready("a", "b");
    s.now += 10;
    await s.change("a", (task) => {
      const by = {
        queue: MAIN,
        name: "second",
        weight: 9,
        payload: '"second"',
        overrides: { timeout: 1 },
        requestId: "second",
        dueAt: s.now,
      } as const;
      return decideReplace(task, by, s.now, SYSTEM);
    });
    const task = await s.claimOne({ lanes: lanesOf({ express: 1 }) });
    expect(task).toMatchObject({ id: "a", payload: '"second"', weight: 9, since: s.now });
  });

  test("cancelled while it waits, ready or delayed: it is not claimed any more", async (s) => {
    await s.insert(newTask("a"), newTask("d", { dueAt: T0 + 5 }));
    for (const id of ["a", "d"]) expect(await s.cancel(id)).toMatchObject({ kind: "applied" });
    s.now += 5;
    expect(await s.claimIds()).toEqual([]);
    for (const id of ["a", "d"]) {
      expect(await s.get(id)).toMatchObject({
        state: "cancelled",
        seq: null,
        since: null,
        endedAt: T0,
        endReason: "by_hand",
      });
    }
    expect(await s.store.nextDue()).toEqual([]);
  });
}

function whileRunning({ test }: Harness): void {
  test("a weight changes under the running task, its place and fence stay", async (s) => {
    await s.ready("a");
    const task = await s.claimOne();
    const before = await s.get("a");
    await s.change("a", () => ({ patch: { weight: 9 }, signal: "reweighted" }));
    expect(await s.get("a")).toEqual({ ...before, weight: 9, version: before.version + 1 });
    await s.settle(task, settleGiveWay(runOf(task, s.now), null));
    expect(await s.get("a")).toMatchObject({ state: "waiting", weight: 9, seq: task.seq, since: T0 });
  });

  test("a cancel ends the attempt in the row, and the history gives it no error of the one before", async (s) => {
    await s.ready("a");
    const first = await s.claimOne();
    await s.fail(first, 0);
    await s.claimOne({ node: N2 });
    s.now += 10;
    await s.cancel("a");
    expect(await s.get("a")).toMatchObject({
      state: "cancelled",
      lastOutcome: "cancelled",
      endedAt: s.now,
      node: N2,
      log: [],
    });
    const history = await s.store.history(first.id);
    expect(history?.attempts).toEqual([
      expect.objectContaining({ attempt: 1, outcome: "failed", error: BROKEN }),
      { attempt: 2, outcome: "cancelled", node: N2, startedAt: T0, endedAt: s.now, error: null, log: [] },
    ]);
  });

  test("a cancel of one that was only claimed leaves no attempt", async (s) => {
    await s.ready("a");
    await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
    await s.cancel("a");
    expect(await s.get("a")).toMatchObject({ state: "cancelled", lastOutcome: null, startedAt: null });
    expect((await s.store.history(taskId("a")))?.attempts).toEqual([]);
    expect(await s.store.held(N1, 10)).toEqual([]);
  });
}

function afterTheEnd({ test }: Harness): void {
  test("run again: it waits anew, its attempt goes into the history, attempt numbers go on", async (s) => {
    const dead = await s.taskIn("dead", "a");
    await s.ready("b");
    s.now += 10;
    await s.rerun("a");
    const row = await s.get("a");
    expect(row).toMatchObject({
      state: "waiting",
      since: s.now,
      failures: 0,
      attempt: 1,
      endedAt: null,
      endReason: null,
      node: null,
      claimedAt: null,
      startedAt: null,
      progress: null,
      log: [],
      lastOutcome: "failed",
      lastError: BROKEN,
      requestId: dead.requestId,
    });
    expect((await s.store.history(dead.id))?.attempts).toEqual([
      { attempt: 1, outcome: "failed", node: N1, startedAt: T0, endedAt: T0, error: BROKEN, log: [] },
    ]);
    const { tasks } = await s.claim();
    expect(tasks.map(({ id, attempt, fence }) => [id, attempt, fence])).toEqual([
      ["b", 1, 1],
      ["a", 2, 2],
    ]);
  });

  test("run again later: delayed until then", async (s) => {
    await s.taskIn("cancelled", "a");
    await s.rerun("a", T0 + 500);
    expect(await s.get("a")).toMatchObject({ state: "waiting", seq: null, dueAt: T0 + 500 });
    expect((await s.store.history(taskId("a")))?.attempts).toEqual([]);
    s.now = T0 + 500;
    expect(await s.claimIds()).toEqual(["a"]);
  });

  test("without a due time one that had ended goes by its own", async (s) => {
    await s.insert(newTask("a", { dueAt: T0 + 100 }), newTask("b", { dueAt: T0 + 1 }));
    for (const id of ["a", "b"]) await s.cancel(id);
    s.now += 50;
    for (const id of ["a", "b"]) await s.change(id, () => ({ patch: { state: "waiting", endedAt: null } }));
    expect((await s.get("a")).seq).toBeNull();
    expect(await s.get("b")).toMatchObject({ since: s.now });
  });

  test("a dead task edited stays dead, with its attempt where it was", async (s) => {
    const before = await s.taskIn("dead", "a");
    await s.change("a", () => ({ patch: { payload: '"fixed"' } }));
    expect(await s.get("a")).toEqual({ ...before, payload: '"fixed"', version: before.version + 1 });
    expect((await s.store.history(before.id))?.attempts).toHaveLength(1);
  });
}
