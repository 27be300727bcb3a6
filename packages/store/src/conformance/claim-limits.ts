import { queueName, settleLost, settleUnclaim, typeName } from "@giveway/kernel";
import { expect } from "vitest";
import type { OpenType } from "../task-store.ts";
import { lanesOf, MAIN, N1, N2, newTask, openTypes, runOf, T0, WORK } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import type { Subject } from "./support/subject.ts";

export function claimLimitsSuite(harness: Harness): void {
  limits(harness);
  directAndPrefetch(harness);
  typeRoom(harness);
  leftovers(harness);
  deadNodes(harness);
}

function open(type: string, more: Partial<OpenType> = {}): OpenType {
  return { type: typeName(type), room: 100, bound: null, ...more };
}

/** Leaves a ready task behind that may not be prefetched any more. */
async function ambiguous(s: Subject, id: string, type = "work", weight: 5 | 6 = 5): Promise<void> {
  await s.insert(newTask(id, { type: typeName(type), weight, dueAt: s.now }));
  const { tasks } = await s.claim({ types: openTypes(type), lanes: lanesOf({ standard: 1 }, {}) });
  expect(tasks.map((task) => task.id)).toEqual([id]);
  await s.lose(id);
  expect(await s.get(id)).toMatchObject({ state: "waiting", noPrefetch: true, attempt: 0, failures: 0 });
}

function limits({ test }: Harness): void {
  test("a lane gives no more than its limit", async (s) => {
    await s.insert(...["a", "b", "c"].flatMap((id) => [newTask(id), newTask(`x${id}`, { weight: 9 })]));
    expect(await s.claimIds({ lanes: lanesOf({ express: 1, standard: 2 }) })).toEqual(["xa", "a", "b"]);
  });

  test("limit 0 only looks what is there", async (s) => {
    await s.insert(newTask("a"), newTask("x", { weight: 9 }));
    const answer = await s.claim({ lanes: lanesOf({}) });
    expect(answer.tasks).toEqual([]);
    expect(answer.left).toEqual({ express: true, standard: true });
    expect(await s.get("a")).toMatchObject({ state: "waiting", version: 1, fence: 0 });
  });

  test("a lane that is not asked for is not told of", async (s) => {
    await s.insert(newTask("a"), newTask("x", { weight: 9 }));
    const [, standard] = lanesOf({ standard: 0 });
    const answer = await s.claim({ lanes: standard === undefined ? [] : [standard] });
    expect(answer.left).toEqual({ express: false, standard: true });
    expect(answer.overtakenUntil.express).toBeNull();
  });

  test("a queue that nobody used answers empty", async (s) => {
    expect(await s.claim({ queue: queueName("nothing here") })).toEqual({
      tasks: [],
      left: { express: false, standard: false },
      full: [],
      overtakenUntil: { express: null, standard: null },
      nextDueAt: null,
    });
  });
}

function directAndPrefetch({ test }: Harness): void {
  test("the first so many start at once, the rest are prefetched", async (s) => {
    await s.ready("a", "b", "c");
    const { tasks } = await s.claim({ lanes: lanesOf({ standard: 3 }, { standard: 2 }) });
    expect(tasks.map(({ id, started, attempt, fence }) => ({ id, started, attempt, fence }))).toEqual([
      { id: "a", started: true, attempt: 1, fence: 1 },
      { id: "b", started: true, attempt: 1, fence: 1 },
      { id: "c", started: false, attempt: 0, fence: 1 },
    ]);
    expect(await s.get("b")).toMatchObject({ state: "running", startedAt: T0, attempt: 1, version: 2 });
    expect(await s.get("c")).toMatchObject({
      state: "running",
      startedAt: null,
      attempt: 0,
      node: N1,
      claimedAt: T0,
      version: 2,
    });
  });

  test("the fence grows at every claim, the attempt at every start", async (s) => {
    await s.ready("a");
    for (let round = 1; round <= 3; round += 1) {
      const { tasks } = await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
      const [task] = tasks;
      expect(task).toMatchObject({ fence: round, attempt: 0, started: false });
      if (task !== undefined) await s.settle(task, settleUnclaim(runOf(task, s.now)));
    }
    expect(await s.claimOne()).toMatchObject({ fence: 4, attempt: 1 });
  });

  test("prefetching ends where one that may not be prefetched comes next, and nothing behind it passes", async (s) => {
    await ambiguous(s, "doubtful");
    await s.ready("b");
    await s.insert(newTask("first", { weight: 6, dueAt: s.now }));
    const lookahead = await s.claim({ lanes: lanesOf({ standard: 9 }, {}) });
    expect(lookahead.tasks.map(({ id }) => id)).toEqual(["first"]);
    expect(lookahead.left.standard).toBe(true);
    const { tasks } = await s.claim({ lanes: lanesOf({ standard: 9 }, { standard: 1 }) });
    expect(tasks.map(({ id, started, noPrefetch }) => ({ id, started, noPrefetch }))).toEqual([
      { id: "doubtful", started: true, noPrefetch: true },
      { id: "b", started: false, noPrefetch: false },
    ]);
  });

  test("it ends its own lane only", async (s) => {
    await ambiguous(s, "doubtful");
    await s.insert(newTask("x1", { weight: 9 }), newTask("x2", { weight: 9 }));
    expect(await s.claimIds({ lanes: lanesOf({ express: 2, standard: 2 }, {}) })).toEqual(["x1", "x2"]);
  });

  test("an ambiguous loss keeps place, attempt and retries", async (s) => {
    await s.ready("a", "b");
    const before = await s.get("a");
    await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
    const lost = settleLost(await s.get("a"), 3, s.now);
    const [outcome] = await s.store.settle([{ key: before.key, fence: 1 as never, settlement: lost }], s.now);
    expect(outcome).toEqual({ kind: "applied", seq: before.seq });
    expect(await s.get("a")).toMatchObject({
      seq: before.seq,
      since: before.since,
      attempt: 0,
      failures: 0,
      losses: 0,
    });
    expect((await s.store.history(before.id))?.attempts).toEqual([]);
  });

  test("of a type that may start fewer at once than it has room, the rest are prefetched", async (s) => {
    await s.insert(...["a", "b", "c", "d"].map((id) => newTask(id)));
    const types = [open("work", { room: 3, direct: 1 })];
    const { tasks, full } = await s.claim({ types, lanes: lanesOf({ standard: 9 }, { standard: 4 }) });
    expect(tasks.map(({ id, started }) => [id, started])).toEqual([
      ["a", true],
      ["b", false],
      ["c", false],
    ]);
    expect(full).toEqual(["work"]);
  });

  test("beyond the lane's prefetch it is passed over, and others start", async (s) => {
    const mail = typeName("mail");
    await s.insert(newTask("a"), newTask("b"), newTask("m1", { type: mail }), newTask("m2", { type: mail }));
    const types = [open("work", { room: 9, direct: 1 }), open("mail")];
    const { tasks, left } = await s.claim({ types, lanes: lanesOf({ standard: 3 }, { standard: 3 }) });
    expect(tasks.map(({ id, started }) => [id, started])).toEqual([
      ["a", true],
      ["m1", true],
      ["m2", true],
    ]);
    expect(left.standard).toBe(true);
  });

  test("a head that may neither start nor be prefetched closes its stream, and others pass", async (s) => {
    await ambiguous(s, "doubtful");
    await s.ready("behind");
    await s.insert(newTask("mail", { type: typeName("mail"), dueAt: s.now }));
    const types = [open("work", { room: 9, direct: 0 }), open("mail")];
    const answer = await s.claim({ types, lanes: lanesOf({ standard: 4 }, { standard: 2 }) });
    expect(answer.tasks.map(({ id, started }) => [id, started])).toEqual([["mail", true]]);
    expect(answer.full).toEqual(["work"]);
    expect(answer.left.standard).toBe(false);
    expect(answer.overtakenUntil.standard).toBeNull();
  });
}

function typeRoom({ test }: Harness): void {
  test("closed types are never taken and block nothing behind them", async (s) => {
    const paused = typeName("paused");
    await s.insert(
      ...Array.from({ length: 200 }, (_, n) => newTask(`p${n}`, { type: paused, weight: 10 })),
      newTask("a"),
    );
    const answer = await s.claim();
    expect(answer.tasks.map(({ id }) => id)).toEqual(["a"]);
    expect(answer.left).toEqual({ express: false, standard: false });
    expect(answer.full).toEqual([]);
    expect((await s.get("p0")).state).toBe("waiting");
  });

  test("no open type: nothing", async (s) => {
    await s.ready("a");
    expect((await s.claim({ types: [] })).tasks).toEqual([]);
  });

  test("a type gives no more than its room, over all lanes; what is left of it is told as full", async (s) => {
    const mail = typeName("mail");
    await s.insert(
      newTask("x1", { weight: 9 }),
      newTask("x2", { weight: 9 }),
      newTask("a"),
      newTask("m1", { type: mail, weight: 1 }),
    );
    const answer = await s.claim({ types: [open("work", { room: 2 }), open("mail", { room: 1 })] });
    expect(answer.tasks.map(({ id }) => id)).toEqual(["x1", "x2", "m1"]);
    expect(answer.full).toEqual(["work"]);
    expect(answer.left).toEqual({ express: false, standard: false });
    expect(answer.overtakenUntil).toEqual({ express: null, standard: null });
  });

  test("what a later lane used up counts for the lanes before it too", async (s) => {
    await s.insert(newTask("x1", { weight: 9 }), newTask("a"));
    const answer = await s.claim({ types: [open("work", { room: 1 })], lanes: lanesOf({ express: 0, standard: 1 }) });
    expect(answer.tasks.map(({ id }) => id)).toEqual(["a"]);
    expect(answer.full).toEqual(["work"]);
    expect(answer.left.express).toBe(false);
  });

  test("full types come sorted", async (s) => {
    const names = ["zeta", "Beta", "alpha", "éta"];
    await s.insert(...names.map((name) => newTask(name, { type: typeName(name) })));
    const { full } = await s.claim({ types: names.map((name) => open(name, { room: 0 })) });
    expect(full).toEqual([...names].sort());
  });

  test("a bound for the whole ledger counts claimed and running ones of all nodes and queues", async (s) => {
    const other = queueName("other");
    await s.insert(newTask("o1", { queue: other }), newTask("h", { handOff: { node: N2, claimNo: 1 } }));
    await s.insert(...["a", "b", "c", "d"].map((id) => newTask(id)));
    await s.claim({ queue: other, node: N2, lanes: lanesOf({ standard: 1 }, {}) });
    const types = [open("work", { bound: 4 })];
    const first = await s.claim({ types });
    expect(first.tasks.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(first.full).toEqual(["work"]);
    expect((await s.claim({ types, node: N2 })).tasks).toEqual([]);
    await s.lose("o1");
    await s.succeed(first.tasks[0] as never);
    expect((await s.claim({ types, node: N2 })).tasks.map(({ id }) => id)).toEqual(["c", "d"]);
  });

  test("a bound below what runs gives nothing, and no negative room", async (s) => {
    await s.ready("a", "b", "c");
    await s.claim({ lanes: lanesOf({ standard: 2 }) });
    const answer = await s.claim({ types: [open("work", { bound: 1 })] });
    expect(answer.tasks).toEqual([]);
    expect(answer.full).toEqual(["work"]);
  });
}

function leftovers({ test }: Harness): void {
  test("left tells of each lane whether startable work stayed behind", async (s) => {
    await s.insert(newTask("a"), newTask("b"), newTask("x", { weight: 8 }));
    expect((await s.claim({ lanes: lanesOf({ express: 1, standard: 1 }) })).left).toEqual({
      express: false,
      standard: true,
    });
    expect((await s.claim({ lanes: lanesOf({ express: 1, standard: 1 }) })).left).toEqual({
      express: false,
      standard: false,
    });
  });

  test("overtakenUntil is the earliest promise to a head that stayed", async (s) => {
    await s.insert(newTask("w2", { weight: 2 }), newTask("w6", { weight: 6 }));
    s.now += 1_000;
    await s.insert(newTask("w5", { weight: 5 }), newTask("x8", { weight: 8 }), newTask("x10", { weight: 10 }));
    const answer = await s.claim({ lanes: lanesOf({ express: 1, standard: 1 }) });
    expect(answer.tasks.map(({ id }) => id)).toEqual(["x10", "w6"]);
    // w2 may be overtaken for 4 steps of 5 s from T0, w5 for one from T0 + 1 s, x8 for 2 steps of 1 s.
    expect(answer.overtakenUntil).toEqual({ express: T0 + 3_000, standard: T0 + 6_000 });
  });

  test("a ranking that promises nothing has no such instant", async (s) => {
    await s.ready("a", "b");
    const answer = await s.claim({ lanes: lanesOf({ standard: 1 }, undefined, "strict") });
    expect(answer.left.standard).toBe(true);
    expect(answer.overtakenUntil.standard).toBeNull();
  });
}

function deadNodes({ test }: Harness): void {
  test("a node that is unknown or declared dead takes nothing and moves nothing", async (s) => {
    await s.insert(newTask("a"), newTask("later", { dueAt: T0 + 5 }));
    const record = (await s.store.nodes()).find(({ node }) => node === N2);
    expect(await s.store.declareDead(N2, record?.lastBeat ?? 0)).toBe(true);
    s.now += 10;
    for (const node of [N2, "stranger" as typeof N1]) {
      const answer = await s.claim({ node });
      expect(answer.tasks).toEqual([]);
      expect(answer.left).toEqual({ express: false, standard: false });
    }
    expect(await s.get("later")).toMatchObject({ seq: null });
    expect(await s.get("a")).toMatchObject({ state: "waiting", fence: 0 });
    expect(await s.claimIds({ node: N1 })).toEqual(["a", "later"]);
  });

  test("nobody can claim what is claimed", async (s) => {
    await s.ready("a");
    await s.claimOne({ node: N1 });
    expect(await s.claimIds({ node: N2, queue: MAIN, types: [open(WORK)] })).toEqual([]);
  });
}
