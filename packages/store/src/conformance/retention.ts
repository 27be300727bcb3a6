import { canonicalJson, payloadHash, taskId } from "@giveway/kernel";
import { expect } from "vitest";
import { newTask, T0, WORK } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import type { Subject } from "./support/subject.ts";

const HOUR = 3_600_000;

/** Removing by hand, pruning by time, and the ids that stay known. */
export function retentionSuite(harness: Harness): void {
  removing(harness);
  pruning(harness);
}

async function remembered(s: Subject, ...ids: readonly string[]): Promise<boolean[]> {
  return (await s.store.remembered(ids.map(taskId))).map((memory) => memory !== null);
}

async function gone(s: Subject, ...ids: readonly string[]): Promise<boolean[]> {
  return (await s.store.get(ids.map(taskId))).map((task) => task === null);
}

function removing({ test }: Harness): void {
  for (const state of ["waiting", "succeeded", "dead", "cancelled"] as const) {
    test(`a task that is ${state} can be removed, with its history`, async (s) => {
      await s.taskIn(state, "a");
      await s.change("a", () => ({
        patch: {},
        record: { at: T0, by: "ada", kind: "edited", before: null, after: null, cause: null },
      }));
      expect(await s.remove("a")).toBe("removed");
      expect(await s.find("a")).toBeNull();
      expect(await s.store.history(taskId("a"))).toBeNull();
      expect(await s.claimIds()).toEqual([]);
      expect(await remembered(s, "a")).toEqual([state === "succeeded"]);
    });
  }

  test("a delayed one, too", async (s) => {
    await s.insert(newTask("a", { dueAt: T0 + 5 }));
    expect(await s.remove("a")).toBe("removed");
    s.now += 5;
    expect(await s.claimIds()).toEqual([]);
  });

  test("never a running one, nor on an old version, nor one that is not there", async (s) => {
    const running = await s.taskIn("running", "run");
    await s.ready("old");
    const old = await s.get("old");
    await s.change("old", () => ({ patch: { name: "newer" } }));
    const ops = [running, old, { id: taskId("nobody"), version: 1 }].map(({ id, version }) => ({ id, version }));
    expect(await s.store.remove(ops, s.now)).toEqual([
      { kind: "refused", task: running },
      { kind: "refused", task: await s.get("old") },
      { kind: "refused", task: null },
    ]);
    expect(await s.store.remove([], s.now)).toEqual([]);
  });

  test("twice in one batch: once", async (s) => {
    await s.ready("a");
    const { id, version } = await s.get("a");
    const outcomes = await s.store.remove(
      [
        { id, version },
        { id, version },
      ],
      s.now,
    );
    expect(outcomes).toEqual([{ kind: "removed" }, { kind: "refused", task: null }]);
  });

  test("a new task under a freed id starts with nothing of the old one", async (s) => {
    await s.taskIn("dead", "a");
    await s.remove("a");
    await s.ready("a");
    const task = await s.get("a");
    expect(task).toMatchObject({ state: "waiting", attempt: 0, fence: 0, version: 1, lastOutcome: null });
    expect(await s.store.history(task.id)).toEqual({ task, attempts: [], changes: [] });
  });

  test("a key is never given again: a late write to a removed task hits no other", async (s) => {
    await s.ready("old");
    const task = await s.claimOne();
    await s.cancel("old");
    await s.remove("old");
    await s.ready("new");
    const fresh = await s.claimOne();
    expect(fresh.key).toBeGreaterThan(task.key);
    expect(fresh.fence).toBe(task.fence);
    expect(await s.succeed(task)).toEqual({ kind: "refused", state: null });
    expect((await s.get("new")).state).toBe("running");
  });

  test("what is remembered of a succeeded one", async (s) => {
    const payload = '{"b":[1,2],"a":{"y":1,"x":"ü"}}';
    await s.insert(newTask("a", { payload }));
    s.now += 10;
    await s.succeed(await s.claimOne());
    await s.remove("a");
    expect(await s.store.remembered([taskId("a"), taskId("b")])).toEqual([
      { id: "a", type: WORK, payloadHash: payloadHash(canonicalJson(payload)), endedAt: s.now },
      null,
    ]);
    expect(await s.store.remembered([])).toEqual([]);
  });
}

function pruning({ test }: Harness): void {
  /** Tasks that ended a minute apart: s0, c1, d2, s3, c4, d5. */
  async function ended(s: Subject): Promise<void> {
    for (const [n, state] of (
      ["succeeded", "cancelled", "dead", "succeeded", "cancelled", "dead"] as const
    ).entries()) {
      await s.taskIn(state, `${state[0]}${n}`);
      s.now += 60_000;
    }
    await s.ready("waiting");
  }
  const prune = (s: Subject, more: { keep?: number; remember?: number; limit?: number } = {}) =>
    s.store.prune({ now: s.now, keep: HOUR, remember: 24 * HOUR, limit: 100, ...more });

  test("deletes what succeeded or was cancelled long enough ago, never dead or live ones", async (s) => {
    await ended(s);
    s.now = T0 + HOUR + 120_000;
    expect(await prune(s)).toEqual({ pruned: 2, forgotten: 0, more: false });
    expect(await gone(s, "s0", "c1", "d2", "s3", "c4", "d5", "waiting")).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(await prune(s)).toEqual({ pruned: 0, forgotten: 0, more: false });
    s.now += 1_000 * HOUR;
    expect(await prune(s)).toMatchObject({ pruned: 2 });
    expect(await gone(s, "s3", "c4", "d2", "d5", "waiting")).toEqual([true, true, false, false, false]);
  });

  test("to the millisecond: kept until end plus keep, not longer", async (s) => {
    await s.taskIn("succeeded", "a");
    s.now = T0 + HOUR - 1;
    expect((await prune(s)).pruned).toBe(0);
    s.now = T0 + HOUR;
    expect((await prune(s)).pruned).toBe(1);
  });

  test("at most the limit a call, those that ended first first", async (s) => {
    await ended(s);
    s.now += 2 * HOUR;
    expect(await prune(s, { limit: 3 })).toEqual({ pruned: 3, forgotten: 0, more: true });
    expect(await gone(s, "s0", "c1", "s3", "c4")).toEqual([true, true, true, false]);
    expect(await prune(s, { limit: 3 })).toEqual({ pruned: 1, forgotten: 0, more: false });
    expect(await prune(s, { limit: 0 })).toEqual({ pruned: 0, forgotten: 0, more: false });
  });

  test("a pruned succeeded id stays known until its time has passed, a cancelled one is free", async (s) => {
    await ended(s);
    s.now = T0 + 2 * HOUR;
    await prune(s);
    expect(await remembered(s, "s0", "c1", "s3", "c4")).toEqual([true, false, true, false]);
    const [known, free] = await s.insert(newTask("s0"), newTask("c1"));
    expect([known?.kind, free?.kind]).toEqual(["remembered", "created"]);
    s.now = T0 + 24 * HOUR - 1;
    expect(await prune(s)).toMatchObject({ forgotten: 0 });
    expect(await remembered(s, "s0")).toEqual([true]);
    s.now = T0 + 24 * HOUR;
    expect(await prune(s)).toMatchObject({ forgotten: 1 });
    expect(await remembered(s, "s0", "s3")).toEqual([false, true]);
    expect((await s.insert(newTask("s0", { dueAt: s.now })))[0]?.kind).toBe("created");
  });

  test("an id removed by hand is forgotten at the same time", async (s) => {
    await s.taskIn("succeeded", "a");
    await s.remove("a");
    s.now = T0 + 24 * HOUR - 1;
    expect((await prune(s)).forgotten).toBe(0);
    s.now += 1;
    expect(await prune(s)).toEqual({ pruned: 0, forgotten: 1, more: false });
  });

  test("rows and ids share the limit, rows first", async (s) => {
    for (const id of ["a", "b", "c"]) await s.taskIn("succeeded", id);
    await s.remove("c");
    s.now += 25 * HOUR;
    await s.taskIn("succeeded", "d");
    s.now += 2 * HOUR;
    expect(await prune(s, { limit: 3 })).toEqual({ pruned: 3, forgotten: 0, more: true });
    expect(await remembered(s, "a", "b", "c", "d")).toEqual([false, false, true, true]);
    expect(await prune(s, { limit: 3 })).toEqual({ pruned: 0, forgotten: 1, more: false });
  });

  test("one that was run again is no longer old", async (s) => {
    await s.taskIn("cancelled", "a");
    s.now += 2 * HOUR;
    await s.rerun("a");
    expect((await prune(s)).pruned).toBe(0);
    expect(await s.claimIds()).toEqual(["a"]);
  });
}
