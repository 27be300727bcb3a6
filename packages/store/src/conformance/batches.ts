import { settleSuccess, taskId, type Weight } from "@giveway/kernel";
import { expect } from "vitest";
import { lanesOf, newTask, runOf } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

const MANY = 5_000;

export function batchesSuite({ test }: Harness): void {
  test(`${MANY} at once, through a whole life`, async (s) => {
    const ids = Array.from({ length: MANY }, (_, n) => `t${n}`);
    const tasks = ids.map((id, n) => newTask(id, { weight: (1 + (n % 6)) as Weight }));
    const created = await s.store.insert(tasks, "normal", s.now);
    expect(created.every(({ kind }) => kind === "created")).toBe(true);
    const again = await s.store.insert(tasks, "bulk", s.now);
    expect(again.every(({ kind }) => kind === "exists")).toBe(true);

    const changes = (await s.store.get(ids.map(taskId))).map((task) => ({
      id: task?.id ?? taskId(""),
      version: task?.version ?? 0,
      patch: { weight: 4 as Weight },
      record: null,
      archive: false,
      signal: null,
    }));
    expect((await s.store.change(changes, s.now)).every(({ kind }) => kind === "applied")).toBe(true);

    const { tasks: claimed } = await s.claim({ lanes: lanesOf({ standard: MANY }, { standard: 10 }) });
    expect(claimed.map(({ id }) => id)).toEqual(ids);
    const marks = claimed.map(({ key, fence }) => ({ key, fence, attempt: 1, startedAt: s.now }));
    expect(await s.store.markStarted(marks)).toEqual(ids.map(() => true));
    await s.store.saveProgress(claimed.map(({ key, fence }, n) => ({ key, fence, progress: `${n}` })));
    const ops = claimed.map((task, n) => ({
      key: task.key,
      fence: task.fence,
      settlement: settleSuccess(runOf(task, s.now, { attempt: 1, started: true, startedAt: s.now }), `${n}`),
    }));
    expect(await s.store.settle(ops, s.now)).toEqual(ids.map(() => ({ kind: "applied", seq: null })));
    const rows = await s.store.get(ids.map(taskId));
    expect(rows.every((row, n) => row?.state === "succeeded" && row.result === `${n}` && row.progress === `${n}`)).toBe(
      true,
    );
    expect(await s.store.totals()).toMatchObject([{ state: "succeeded", count: MANY }]);

    const removals = rows.map((row) => ({ id: row?.id ?? taskId(""), version: row?.version ?? 0 }));
    expect((await s.store.remove(removals, s.now)).every(({ kind }) => kind === "removed")).toBe(true);
    expect((await s.store.remembered(ids.map(taskId))).every((memory) => memory !== null)).toBe(true);
  });

  test("many calls at once, each answered as if it were alone", async (s) => {
    const calls = Array.from({ length: 200 }, (_, n) =>
      s.store.insert(
        [newTask(`t${n}`), newTask(`t${n % 50}`)],
        (["express", "normal", "bulk"] as const)[n % 3] ?? "bulk",
        s.now,
      ),
    );
    const outcomes = (await Promise.all(calls)).flat();
    expect(outcomes).toHaveLength(400);
    expect(outcomes.filter(({ kind }) => kind === "created")).toHaveLength(200);
    const rows = await s.store.find({ limit: 1_000, now: s.now });
    expect(rows.tasks).toHaveLength(200);
  });

  test("claims under way together never share a task", async (s) => {
    await s.ready(...Array.from({ length: 300 }, (_, n) => `t${n}`));
    const answers = await Promise.all(Array.from({ length: 40 }, () => s.claim({ lanes: lanesOf({ standard: 10 }) })));
    const ids = answers.flatMap(({ tasks }) => tasks.map(({ id }) => id));
    expect(ids).toHaveLength(300);
    expect(new Set(ids).size).toBe(300);
  });

  test("a settlement and a claim made together: both take effect", async (s) => {
    await s.ready("a", "b");
    const first = await s.claimOne();
    const op = { key: first.key, fence: first.fence, settlement: settleSuccess(runOf(first, s.now), "1") };
    const [settled, claimed] = await Promise.all([s.store.settle([op], s.now), s.claim()]);
    expect(settled).toEqual([{ kind: "applied", seq: null }]);
    expect(claimed.tasks.map(({ id }) => id)).toEqual(["b"]);
  });

  test("get and remembered answer in the order asked, with repeats and gaps", async (s) => {
    await s.ready("a", "b");
    const [a, b] = [await s.get("a"), await s.get("b")];
    expect(await s.store.get(["b", "nobody", "a", "b"].map(taskId))).toEqual([b, null, a, b]);
    expect(await s.store.get([])).toEqual([]);
  });
}
