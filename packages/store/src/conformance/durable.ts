import { taskId } from "@giveway/kernel";
import { expect } from "vitest";
import { lanesOf, N1, newTask, registration, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import { allRows, byName } from "./support/recount.ts";

/** What is still there after all connections were closed; for ledgers that say they are durable. */
export function durableSuite({ test, durable }: Harness): void {
  test("the store says whether it is durable", async (s) => {
    expect(s.store.features.durable).toBe(durable);
  });
  if (!durable) return;

  test("everything is there again after the last connection was closed", async (s) => {
    await s.taskIn("succeeded", "removed");
    await s.remove("removed");
    for (const state of ["succeeded", "dead", "cancelled", "running", "waiting"] as const) await s.taskIn(state, state);
    await s.insert(newTask("delayed", { dueAt: T0 + 500, weight: 9 }));
    const record = { at: T0, by: "ada", kind: "edited", before: null, after: "1", cause: null } as const;
    await s.change("waiting", () => ({ patch: { name: "kept" }, record }));
    const setting = { scope: "queue", name: "main", key: "paused", value: "true", by: "ada", at: T0 } as const;
    await s.store.override(setting);
    const before = {
      rows: await allRows(s.store, s.now),
      depths: byName(await s.store.depths()),
      totals: byName(await s.store.totals()),
      history: await s.store.history(taskId("waiting")),
      remembered: await s.store.remembered([taskId("removed")]),
      held: await s.store.held(N1, 9),
    };
    await s.store.close();

    const store = await s.connect();
    expect(await allRows(store, s.now)).toEqual(before.rows);
    expect(byName(await store.depths())).toEqual(before.depths);
    expect(byName(await store.totals())).toEqual(before.totals);
    expect(await store.history(taskId("waiting"))).toEqual(before.history);
    expect(await store.remembered([taskId("removed")])).toEqual(before.remembered);
    expect(await store.held(N1, 9)).toEqual(before.held);
    expect(await store.overrides()).toEqual([setting]);
    expect(await store.nextDue()).toEqual([{ queue: "main", dueAt: T0 + 500 }]);
    expect(await store.check()).toEqual([]);
  });

  test("keys and places go on where they were, over removed rows too", async (s) => {
    await s.ready("a", "b");
    const last = await s.get("b");
    await s.remove("b");
    await s.store.close();
    const store = await s.connect();
    const [outcome] = await store.insert([newTask("c")], "normal", s.now);
    expect(outcome).toMatchObject({ kind: "created" });
    const [c] = await store.get([taskId("c")]);
    expect(c?.key).toBeGreaterThan(last.key);
    expect(c?.seq).toBeGreaterThan(Number(last.seq));
  });

  test("a claim of before is still held, and ends under its fence", async (s) => {
    await s.ready("a");
    const task = await s.claimOne();
    await s.store.close();
    const store = await s.connect();
    await store.register(registration("later", s.now));
    const answer = await store.claim({
      queue: task.queue,
      node: "later" as typeof N1,
      claimNo: 1,
      now: s.now,
      types: [{ type: task.type, room: 9, bound: null }],
      lanes: lanesOf({ standard: 9 }),
    });
    expect(answer.tasks).toEqual([]);
    const settlement = {
      event: "succeed",
      state: "succeeded",
      outcome: "succeeded",
      attempt: 1,
      failures: 0,
      losses: 0,
      noPrefetch: false,
      dueAt: task.dueAt,
      place: "keep",
      startedAt: T0,
      endedAt: T0,
      error: null,
      endReason: "succeeded",
      result: "1",
      checkpoint: null,
      log: [],
    } as const;
    expect(await store.settle([{ key: task.key, fence: task.fence, settlement }], s.now)).toEqual([
      { kind: "applied", seq: null },
    ]);
  });
}
