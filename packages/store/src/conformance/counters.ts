import { queueName, typeName } from "@giveway/kernel";
import { expect } from "vitest";
import { lanesOf, MAIN, newTask, T0, WORK } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import { byName } from "./support/recount.ts";

/** Depths and totals in single steps; the random walk compares them with a recount after thousands of others. */
export function countersSuite({ test }: Harness): void {
  const depth = (weight: number, ready: number, delayed: number, running: number, oldest: number | null = null) => ({
    queue: MAIN,
    type: WORK,
    weight,
    ready,
    delayed,
    running,
    oldest,
  });

  test("nothing in an empty ledger", async (s) => {
    expect(await s.store.depths()).toEqual([]);
    expect(await s.store.totals()).toEqual([]);
  });

  test("through the life of a task", async (s) => {
    await s.insert(newTask("a", { dueAt: T0 + 10 }));
    expect(await s.store.depths()).toEqual([depth(5, 0, 1, 0)]);
    s.now += 10;
    await s.claim({ lanes: lanesOf({}) });
    expect(await s.store.depths()).toEqual([depth(5, 1, 0, 0, T0 + 10)]);
    const first = await s.claimOne();
    expect(await s.store.depths()).toEqual([depth(5, 0, 0, 1)]);
    await s.fail(first, 100);
    expect(await s.store.depths()).toEqual([depth(5, 0, 1, 0)]);
    s.now += 100;
    await s.fail(await s.claimOne(), null);
    expect(await s.store.depths()).toEqual([]);
    expect(await s.store.totals()).toEqual([{ queue: MAIN, type: WORK, state: "dead", count: 1 }]);
    await s.rerun("a");
    expect(await s.store.totals()).toEqual([]);
    await s.succeed(await s.claimOne());
    expect(await s.store.totals()).toEqual([{ queue: MAIN, type: WORK, state: "succeeded", count: 1 }]);
    await s.remove("a");
    expect(await s.store.totals()).toEqual([]);
  });

  test("cancelling takes it out of where it counted", async (s) => {
    await s.insert(newTask("r"), newTask("d", { dueAt: T0 + 9 }), newTask("x", { weight: 9 }));
    await s.claim({ lanes: lanesOf({ express: 1 }) });
    for (const id of ["r", "d", "x"]) await s.cancel(id);
    expect(await s.store.depths()).toEqual([]);
    expect(await s.store.totals()).toEqual([{ queue: MAIN, type: WORK, state: "cancelled", count: 3 }]);
  });

  test("a new weight moves it, ready, delayed or running", async (s) => {
    await s.insert(newTask("r"), newTask("d", { dueAt: T0 + 9 }), newTask("x", { weight: 9 }));
    await s.claim({ lanes: lanesOf({ express: 1 }) });
    for (const id of ["r", "d", "x"]) await s.change(id, () => ({ patch: { weight: 6 } }));
    expect(await s.store.depths()).toEqual([depth(6, 1, 1, 1, T0)]);
  });

  test("a hand-off counts as running", async (s) => {
    await s.insert(newTask("h", { handOff: { node: "node-1" as never, claimNo: 1 } }));
    expect(await s.store.depths()).toEqual([depth(5, 0, 0, 1)]);
  });

  test("each queue, type and weight by itself, with the age of its own head", async (s) => {
    const [mail, other] = [typeName("mail"), queueName("other")];
    await s.insert(newTask("a"), newTask("b", { type: mail }));
    s.now += 7;
    await s.insert(
      newTask("c"),
      newTask("d", { queue: other, dueAt: s.now }),
      newTask("e", { weight: 6, dueAt: s.now }),
    );
    expect(byName(await s.store.depths())).toEqual(
      byName([
        { queue: MAIN, type: WORK, weight: 5, ready: 2, delayed: 0, running: 0, oldest: T0 },
        { queue: MAIN, type: mail, weight: 5, ready: 1, delayed: 0, running: 0, oldest: T0 },
        { queue: other, type: WORK, weight: 5, ready: 1, delayed: 0, running: 0, oldest: T0 + 7 },
        { queue: MAIN, type: WORK, weight: 6, ready: 1, delayed: 0, running: 0, oldest: T0 + 7 },
      ]),
    );
  });
}
