import { DEFAULT_STEPS, laneOrders, type Policy, queueName, typeName, type Weight } from "@giveway/kernel";
import { expect } from "vitest";
import type { UpcomingRequest } from "../task-store.ts";
import { lanesOf, MAIN, newTask, openTypes, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import type { Subject } from "./support/subject.ts";

export function upcomingSuite({ test }: Harness): void {
  const ask = (s: Subject, more: Partial<UpcomingRequest> = {}, policy: Policy = "express") =>
    s.store.upcoming({
      queue: MAIN,
      lanes: laneOrders(policy, DEFAULT_STEPS),
      types: null,
      limit: 1_000,
      now: s.now,
      ...more,
    });

  test("nothing where nothing waits", async (s) => {
    expect(await ask(s)).toEqual({ express: [], standard: [] });
    expect(await ask(s, { queue: queueName("never used") })).toEqual({ express: [], standard: [] });
  });

  test("shows each task with its place, and touches none", async (s) => {
    await s.insert(newTask("a", { name: "first" }), newTask("x", { weight: 8 }), newTask("d", { dueAt: T0 + 9 }));
    const rows = await s.store.find({ limit: 9, now: s.now });
    const [a, x] = [await s.get("a"), await s.get("x")];
    expect(await ask(s)).toEqual({
      express: [{ id: "x", type: "work", name: null, weight: 8, seq: x.seq, since: T0 }],
      standard: [{ id: "a", type: "work", name: "first", weight: 5, seq: a.seq, since: T0 }],
    });
    expect(await s.store.find({ limit: 9, now: s.now })).toEqual(rows);
  });

  test("counts due tasks as moved, without moving them", async (s) => {
    await s.insert(
      newTask("late", { dueAt: T0 + 20 }),
      newTask("early", { dueAt: T0 + 10 }),
      newTask("x", { dueAt: T0 + 30, weight: 9 }),
      newTask("ready"),
    );
    s.now += 30;
    const answer = await ask(s);
    expect(answer.standard.map(({ id, since }) => [id, since])).toEqual([
      ["ready", T0],
      ["early", s.now],
      ["late", s.now],
    ]);
    expect((await s.get("early")).seq).toBeNull();
    const claimed = await s.claim();
    const places = [...answer.express, ...answer.standard].map(({ id, seq, since }) => ({ id, seq, since }));
    expect(claimed.tasks.map(({ id, seq, since }) => ({ id, seq, since }))).toEqual(places);
  });

  test("only of the types asked for, and at most so many of each lane", async (s) => {
    const mail = typeName("mail");
    await s.insert(
      newTask("a"),
      newTask("m1", { type: mail }),
      newTask("m2", { type: mail }),
      newTask("x1", { type: mail, weight: 9 }),
      newTask("x2", { type: mail, weight: 9 }),
    );
    const answer = await ask(s, { types: [mail], limit: 1 });
    expect([answer.express.map(({ id }) => id), answer.standard.map(({ id }) => id)]).toEqual([["x1"], ["m1"]]);
    expect(await ask(s, { types: [] })).toEqual({ express: [], standard: [] });
    expect(await ask(s, { limit: 0 })).toEqual({ express: [], standard: [] });
  });

  for (const policy of ["express", "ladder", "rotation", "strict", "fifo"] as const) {
    test(`is the order in which claims under ${policy} take them`, async (s) => {
      for (let round = 0; round < 5; round += 1) {
        const batch = Array.from({ length: 40 }, (_, n) => {
          const weight = (1 + ((n * 3 + round * 7) % 10)) as Weight;
          const dueAt = n % 5 === 0 ? T0 + 7_000 + n : s.now;
          return newTask(`t${round}-${n}`, { weight, dueAt, type: typeName(`type-${n % 3}`) });
        });
        await s.insert(...batch);
        s.now += 1_900;
      }
      const expected = await ask(s, {}, policy);
      const types = openTypes("type-0", "type-1", "type-2");
      const taken: string[] = [];
      for (const limits of [{ express: 7 }, { standard: 7 }]) {
        for (let found = 7; found === 7; ) {
          const { tasks } = await s.claim({ types, lanes: lanesOf(limits, limits, policy) });
          taken.push(...tasks.map(({ id }) => id));
          found = tasks.length;
        }
      }
      expect(taken).toEqual([...expected.express, ...expected.standard].map(({ id }) => id));
      expect(taken).toHaveLength(200);
    });
  }
}
