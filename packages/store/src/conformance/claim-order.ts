import { DEFAULT_STEPS, effectiveWeight, laneOrders, typeName, type Weight } from "@giveway/kernel";
import { expect } from "vitest";
import { lanesOf, MAIN, N1, newTask, openTypes, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

export function claimOrderSuite({ test }: Harness): void {
  test("within one stream and weight: in the order of becoming ready", async (s) => {
    await s.ready("a", "b");
    s.now += 10;
    await s.ready("c");
    expect(await s.claimIds()).toEqual(["a", "b", "c"]);
  });

  test("heavier first, then the order of becoming ready; lane by lane as asked", async (s) => {
    const weights: Weight[] = [1, 5, 8, 6, 10, 5, 7, 2];
    await s.insert(...weights.map((weight, n) => newTask(`${weight}-${n}`, { weight })));
    expect(await s.claimIds()).toEqual(["10-4", "8-2", "7-6", "6-3", "5-1", "5-5", "2-7", "1-0"]);
  });

  test("aging: a light task that waited long enough passes a heavy newcomer, not a step earlier", async (s) => {
    const { standard } = DEFAULT_STEPS;
    await s.insert(newTask("old", { weight: 3 }));
    s.now += 2 * standard - 1;
    await s.insert(newTask("new", { weight: 5 }));
    const lanes = lanesOf({ standard: 2 });
    const upcoming = async () =>
      (
        await s.store.upcoming({
          queue: MAIN,
          lanes: laneOrders("express", DEFAULT_STEPS),
          types: null,
          limit: 9,
          now: s.now,
        })
      ).standard.map(({ id }) => id);
    expect(await upcoming()).toEqual(["new", "old"]);
    s.now += 1;
    expect(await upcoming()).toEqual(["old", "new"]);
    expect(await s.claimIds({ lanes })).toEqual(["old", "new"]);
  });

  test("the ceiling: long waiting makes first in, first out, and never express", async (s) => {
    await s.insert(newTask("w1", { weight: 1 }));
    s.now += 1;
    await s.insert(newTask("w6", { weight: 6 }), newTask("w7", { weight: 7 }));
    s.now += 3_600_000;
    expect(await s.claimIds()).toEqual(["w7", "w1", "w6"]);
  });

  test("streams of several types merge by weight and place", async (s) => {
    await s.insert(
      newTask("mail-5", { type: typeName("mail") }),
      newTask("work-5"),
      newTask("mail-6", { type: typeName("mail"), weight: 6 }),
      newTask("work-6", { weight: 6 }),
    );
    const types = openTypes("work", "mail");
    expect(await s.claimIds({ types })).toEqual(["mail-6", "work-6", "mail-5", "work-5"]);
  });

  test("another queue's tasks are not touched", async (s) => {
    await s.insert(newTask("here"), newTask("there", { queue: "other" as typeof MAIN }));
    expect(await s.claimIds()).toEqual(["here"]);
    expect((await s.get("there")).state).toBe("waiting");
  });

  const policies = {
    fifo: ["1", "10", "5"],
    strict: ["10", "5", "1"],
    ladder: ["10", "5", "1"],
    rotation: ["10", "5", "1"],
  } as const;
  for (const policy of ["fifo", "strict", "ladder", "rotation"] as const) {
    test(`the order of policy ${policy}`, async (s) => {
      await s.insert(newTask("1", { weight: 1 }), newTask("10", { weight: 10 }), newTask("5"));
      const lanes = lanesOf({ express: 9, standard: 9 }, undefined, policy);
      expect(await s.claimIds({ lanes })).toEqual(policies[policy]);
    });
  }

  test("the ladder climbs by named levels", async (s) => {
    await s.insert(newTask("low", { weight: 2 }));
    s.now += 15_000;
    await s.insert(newTask("critical", { weight: 10 }), newTask("high", { weight: 8 }));
    const lanes = lanesOf({ standard: 3 }, undefined, "ladder");
    expect(await s.claimIds({ lanes })).toEqual(["low", "critical", "high"]);
  });

  test("a claim equals a full sort of a large mixed backlog", async (s) => {
    const ids: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const batch = Array.from({ length: 50 }, (_, n) => {
        const weight = (1 + ((n * 7 + round * 3) % 10)) as Weight;
        return newTask(`t-${round}-${n}`, { weight, type: typeName(`type-${(n + round) % 4}`), dueAt: s.now });
      });
      ids.push(...batch.map(({ id }) => id));
      await s.insert(...batch);
      s.now += 2_700;
    }
    const rows = (await s.store.get(ids as never)).flatMap((task) => task ?? []);
    const expected = laneOrders("express", DEFAULT_STEPS).flatMap(({ weights, ranking }) => {
      const value = (task: (typeof rows)[number]): number =>
        effectiveWeight(ranking, task.weight, Number(task.since), s.now);
      return rows
        .filter(({ weight }) => weights.includes(weight))
        .sort((a, b) => value(b) - value(a) || Number(a.seq) - Number(b.seq))
        .map(({ id }) => id);
    });
    const types = openTypes("type-0", "type-1", "type-2", "type-3");
    const found: string[] = [];
    for (let part = 0; part < 5; part += 1) {
      found.push(...(await s.claimIds({ types, lanes: lanesOf({ express: 30 }) })));
    }
    for (let part = 0; part < 7; part += 1) {
      found.push(...(await s.claimIds({ types, lanes: lanesOf({ standard: 30 }) })));
    }
    expect(found).toEqual(expected);
  });

  test("the answer has all that a start needs", async (s) => {
    const given = newTask("full", {
      name: "a name",
      weight: 9,
      payload: '{"x":1}',
      overrides: { timeout: 5, tags: ["a"] },
      dueAt: T0 - 700,
    });
    await s.insert(given);
    s.now += 1_000;
    const row = await s.get("full");
    const task = await s.claimOne({ node: N1 });
    expect(task).toEqual({
      key: row.key,
      id: given.id,
      type: given.type,
      queue: given.queue,
      name: "a name",
      weight: 9,
      payload: '{"x":1}',
      overrides: { timeout: 5, tags: ["a"] },
      requestId: "request-full",
      createdAt: T0,
      dueAt: T0 - 700,
      seq: row.seq,
      since: T0,
      fence: 1,
      attempt: 1,
      started: true,
      failures: 0,
      losses: 0,
      noPrefetch: false,
      checkpoint: null,
    });
    expect(await s.get("full")).toEqual({
      ...row,
      state: "running",
      fence: 1,
      version: 2,
      attempt: 1,
      node: N1,
      claimedAt: s.now,
      startedAt: s.now,
      updatedAt: s.now,
    });
  });
}
