import { queueName, typeName } from "@giveway/kernel";
import { expect } from "vitest";
import { lanesOf, newTask, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

const PAGE = 1_000;

/** Delayed, due, ready. */
export function dueSuite({ test }: Harness): void {
  test("a claim moves what is due: it becomes ready at that moment, not at its due time", async (s) => {
    await s.insert(newTask("d", { dueAt: T0 + 100 }));
    s.now = T0 + 99;
    expect((await s.claim()).nextDueAt).toBe(T0 + 100);
    s.now = T0 + 350;
    const task = await s.claimOne();
    expect(task).toMatchObject({ id: "d", since: T0 + 350, dueAt: T0 + 100 });
  });

  test("due exactly now is due", async (s) => {
    await s.insert(newTask("d", { dueAt: T0 + 100 }));
    s.now = T0 + 100;
    expect(await s.claimIds()).toEqual(["d"]);
  });

  test("becoming ready is no change: the version stays, and so does what was decided on it", async (s) => {
    await s.insert(newTask("d", { dueAt: T0 + 100 }));
    const before = await s.get("d");
    s.now = T0 + 200;
    await s.claim({ lanes: lanesOf({}) });
    expect(await s.get("d")).toEqual({ ...before, seq: expect.any(Number), since: T0 + 200 });
    expect(await s.changeOn(before, { patch: { name: "renamed" } })).toMatchObject({ kind: "applied" });
  });

  test("express first, then by due time, then as they were inserted", async (s) => {
    await s.insert(
      newTask("s-late", { dueAt: T0 + 30 }),
      newTask("s-early-1", { dueAt: T0 + 10 }),
      newTask("s-early-2", { dueAt: T0 + 10 }),
      newTask("x-late", { dueAt: T0 + 40, weight: 7 }),
      newTask("x-early", { dueAt: T0 + 20, weight: 7 }),
    );
    s.now = T0 + 50;
    await s.claim({ lanes: lanesOf({}) });
    const rows = await Promise.all(["x-early", "x-late", "s-early-1", "s-early-2", "s-late"].map((id) => s.get(id)));
    const places = rows.map(({ seq }) => Number(seq));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(5);
    expect(rows.every(({ since }) => since === s.now)).toBe(true);
  });

  test("whatever its type is, and whether it is open or not", async (s) => {
    await s.insert(newTask("p", { type: typeName("paused"), dueAt: T0 + 1 }));
    s.now += 1;
    const answer = await s.claim();
    expect(answer.nextDueAt).toBeNull();
    expect(answer.left).toEqual({ express: false, standard: false });
    expect((await s.get("p")).seq).not.toBeNull();
  });

  test("only those of the queue that is claimed from", async (s) => {
    const other = queueName("other");
    await s.insert(newTask("here", { dueAt: T0 + 1 }), newTask("there", { dueAt: T0 + 1, queue: other }));
    s.now += 5;
    expect((await s.claim()).nextDueAt).toBeNull();
    expect((await s.get("there")).seq).toBeNull();
    expect(await s.store.nextDue()).toEqual([{ queue: other, dueAt: T0 + 1 }]);
  });

  test(`at most ${PAGE} a claim; where that was not enough the answer says so`, async (s) => {
    const standard = Array.from({ length: PAGE + 100 }, (_, n) => newTask(`s${n}`, { dueAt: T0 + 1 + (n % 7) }));
    const express = Array.from({ length: 50 }, (_, n) => newTask(`x${n}`, { dueAt: T0 + 9, weight: 9 }));
    await s.store.insert([...standard, ...express], "bulk", s.now);
    s.now = T0 + 10;
    const first = await s.claim({ lanes: lanesOf({ express: 1, standard: 1 }) });
    expect(first.tasks).toHaveLength(2);
    expect(first.nextDueAt).toBeLessThanOrEqual(s.now);
    expect(first.left).toEqual({ express: true, standard: true });
    const counted = await s.store.depths();
    const sum = (of: "ready" | "delayed" | "running") => counted.reduce((total, depth) => total + depth[of], 0);
    expect([sum("ready"), sum("delayed"), sum("running")]).toEqual([PAGE - 2, 150, 2]);
    const second = await s.claim({ lanes: lanesOf({}) });
    expect(second.nextDueAt).toBeNull();
    expect((await s.claim({ lanes: lanesOf({ express: 100, standard: 2_000 }) })).tasks).toHaveLength(PAGE + 148);
  });

  test("more due work is told of in every lane asked for, even of types that are closed", async (s) => {
    const tasks = Array.from({ length: PAGE + 1 }, (_, n) =>
      newTask(`p${n}`, { type: typeName("paused"), dueAt: T0 + 1 }),
    );
    await s.store.insert(tasks, "bulk", s.now);
    s.now += 1;
    expect((await s.claim()).left).toEqual({ express: true, standard: true });
    expect((await s.claim()).left).toEqual({ express: false, standard: false });
  });

  test("nextDueAt is the earliest still delayed, of either lane and any type", async (s) => {
    await s.insert(
      newTask("a", { dueAt: T0 + 300 }),
      newTask("x", { dueAt: T0 + 200, weight: 10, type: typeName("closed") }),
      newTask("b", { dueAt: T0 + 100 }),
    );
    expect((await s.claim()).nextDueAt).toBe(T0 + 100);
    expect(await s.store.nextDue()).toEqual([{ queue: "main", dueAt: T0 + 100 }]);
    await s.cancel("b");
    expect((await s.claim()).nextDueAt).toBe(T0 + 200);
  });

  test("nextDue names each queue that has something delayed", async (s) => {
    expect(await s.store.nextDue()).toEqual([]);
    await s.insert(
      newTask("a", { dueAt: T0 + 9 }),
      newTask("b", { dueAt: T0 + 5, queue: queueName("second") }),
      newTask("c", { queue: queueName("third") }),
    );
    const found = [...(await s.store.nextDue())].sort((a, b) => a.dueAt - b.dueAt);
    expect(found).toEqual([
      { queue: "second", dueAt: T0 + 5 },
      { queue: "main", dueAt: T0 + 9 },
    ]);
  });

  test("due times at any horizon", async (s) => {
    const far = T0 + 100 * 365 * 86_400_000;
    await s.insert(newTask("far", { dueAt: far }), newTask("near", { dueAt: T0 + 2 ** 31 }));
    expect((await s.claim()).nextDueAt).toBe(T0 + 2 ** 31);
    s.now = far;
    expect(await s.claimIds()).toEqual(["near", "far"]);
  });

  test("a clock set back moves nothing before its time", async (s) => {
    await s.insert(newTask("d", { dueAt: T0 + 100 }));
    s.now = T0 - 3_600_000;
    expect(await s.claimIds()).toEqual([]);
    s.now = T0 + 100;
    expect(await s.claimIds()).toEqual(["d"]);
  });
}
