import { queueName, typeName } from "@giveway/kernel";
import { expect } from "vitest";
import type { NewTask } from "../task-store.ts";
import { lanesOf, N1, N2, newTask, T0, WORK } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

export function insertSuite({ test }: Harness): void {
  test("a due task is ready at once, with every field as given", async (s) => {
    const given = newTask("full", {
      type: typeName("mail"),
      queue: queueName("letters"),
      name: "a letter",
      weight: 8,
      payload: '{"to":"you","n":[1,2.5,null]}',
      overrides: {
        retry: { kind: "exponential", base: 1_000, factor: 2, cap: 60_000, max: 5 },
        timeout: 5_000,
        deadline: T0 + 9_000,
        expires: T0 + 99_000,
        tags: ["red", "ünï"],
      },
      requestId: "request-7",
      rerunOf: newTask("the one before").id,
      dueAt: T0 - 5_000,
    });
    const [outcome] = await s.insert(given);
    expect(outcome).toMatchObject({ kind: "created", since: T0, handedOff: false });
    const { handOff: _handOff, ...fields } = given;
    const task = await s.get("full");
    expect(task).toEqual({
      ...fields,
      key: outcome?.kind === "created" ? outcome.key : null,
      state: "waiting",
      createdAt: T0,
      updatedAt: T0,
      seq: outcome?.kind === "created" ? outcome.seq : null,
      since: T0,
      fence: 0,
      version: 1,
      attempt: 0,
      failures: 0,
      losses: 0,
      noPrefetch: false,
      node: null,
      claimedAt: null,
      startedAt: null,
      endedAt: null,
      lastOutcome: null,
      lastError: null,
      endReason: null,
      result: null,
      progress: null,
      checkpoint: null,
      log: [],
    });
    expect(task.seq).not.toBeNull();
  });

  test("one that is due later has no place yet; one that is due now has", async (s) => {
    const outcomes = await s.insert(newTask("later", { dueAt: T0 + 1 }), newTask("now", { dueAt: T0 }));
    expect(outcomes[0]).toMatchObject({ kind: "created", seq: null, since: null });
    expect(outcomes[1]).toMatchObject({ kind: "created", since: T0 });
    expect(await s.get("later")).toMatchObject({ state: "waiting", seq: null, since: null, dueAt: T0 + 1 });
  });

  test("keys and places grow in the order of the batch and of the calls", async (s) => {
    const outcomes = [
      ...(await s.insert(newTask("a"), newTask("b", { weight: 9 }), newTask("c"))),
      ...(await s.insert(newTask("d"))),
    ];
    const created = outcomes.flatMap((outcome) => (outcome.kind === "created" ? [outcome] : []));
    expect(created).toHaveLength(4);
    for (const [index, { key, seq }] of created.entries()) {
      if (index === 0) continue;
      expect(key).toBeGreaterThan(created[index - 1]?.key ?? 0);
      expect(seq).toBeGreaterThan(created[index - 1]?.seq ?? 0);
    }
  });

  test("a known id answers the row as it stands, and changes nothing", async (s) => {
    await s.insert(newTask("known", { payload: '{"first":true}' }));
    const before = await s.get("known");
    const again = newTask("known", { payload: '{"second":true}', weight: 10, type: typeName("other") });
    expect(await s.insert(again)).toEqual([{ kind: "exists", task: before }]);
    expect(await s.get("known")).toEqual(before);
  });

  for (const state of ["waiting", "running", "succeeded", "dead", "cancelled"] as const) {
    test(`the id of a task that is ${state} is known`, async (s) => {
      const task = await s.taskIn(state, "known");
      expect(await s.insert(newTask("known"))).toEqual([{ kind: "exists", task }]);
    });
  }

  test("an id twice in one batch: the first is created, the second finds it", async (s) => {
    const [first, second, third] = await s.insert(
      newTask("twice", { payload: "1" }),
      newTask("twice", { payload: "2" }),
      newTask("other"),
    );
    expect(first?.kind).toBe("created");
    expect(second).toEqual({ kind: "exists", task: await s.get("twice") });
    expect((await s.get("twice")).payload).toBe("1");
    expect(third?.kind).toBe("created");
  });

  test("the id of a removed task is free again unless it succeeded", async (s) => {
    await s.taskIn("succeeded", "done");
    await s.taskIn("dead", "dead");
    for (const id of ["done", "dead"]) expect(await s.remove(id)).toBe("removed");
    const [done, dead] = await s.insert(newTask("done"), newTask("dead"));
    expect(done).toMatchObject({ kind: "remembered", remembered: { id: "done", type: WORK, endedAt: T0 } });
    expect(dead?.kind).toBe("created");
    expect(await s.find("done")).toBeNull();
  });

  test("answers come in the order of the batch, whatever their kinds", async (s) => {
    await s.taskIn("succeeded", "gone");
    await s.remove("gone");
    await s.ready("here");
    const outcomes = await s.insert(
      newTask("n1"),
      newTask("here"),
      newTask("gone"),
      newTask("n2", { dueAt: T0 + 9 }),
      newTask("n1"),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(["created", "exists", "remembered", "created", "exists"]);
  });

  test("straight hand-off: born claimed and started", async (s) => {
    const [outcome] = await s.insert(newTask("mine", { handOff: { node: N1, claimNo: 7 } }));
    expect(outcome).toMatchObject({ kind: "created", since: T0, handedOff: true });
    const task = await s.get("mine");
    expect(task).toMatchObject({
      state: "running",
      fence: 1,
      version: 2,
      attempt: 1,
      node: N1,
      claimedAt: T0,
      startedAt: T0,
      since: T0,
    });
    expect(task.seq).not.toBeNull();
    expect(await s.claimIds()).toEqual([]);
    expect((await s.store.held(N1, 10)).map(({ id }) => id)).toEqual(["mine"]);
  });

  test("no hand-off for one that is due later, already known, or meant for a node that may take nothing", async (s) => {
    await s.ready("known");
    const dead = await s.store.nodes().then((nodes) => nodes.find(({ node }) => node === N2));
    expect(await s.store.declareDead(N2, dead?.lastBeat ?? 0)).toBe(true);
    const to = (node: string): Pick<NewTask, "handOff"> => ({ handOff: { node: node as typeof N1, claimNo: 1 } });
    const outcomes = await s.insert(
      newTask("later", { dueAt: T0 + 1, ...to("node-1") }),
      newTask("known", to("node-1")),
      newTask("dead", to("node-2")),
      newTask("stranger", to("nobody")),
    );
    expect(outcomes.map((outcome) => outcome.kind === "created" && outcome.handedOff)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect((await s.get("later")).seq).toBeNull();
    expect(await s.claimIds()).toEqual(["known", "dead", "stranger"]);
  });

  test("an empty batch answers nothing", async (s) => {
    expect(await s.store.insert([], "normal", T0)).toEqual([]);
  });

  test("what the caller does with its objects afterwards does not matter", async (s) => {
    const tags = ["before"];
    const task = { ...newTask("own", { overrides: { tags } }) };
    const writing = s.insert(task);
    await writing;
    tags.push("after");
    task.payload = "changed";
    expect(await s.get("own")).toMatchObject({ overrides: { tags: ["before"] }, payload: '{"n":1}' });
  });

  for (const turn of ["express", "normal", "bulk"] as const) {
    test(`1 200 rows in the ${turn} turn are all stored, in order`, async (s) => {
      const ids = Array.from({ length: 1_200 }, (_, n) => `row-${n}`);
      const outcomes = await s.store.insert(
        ids.map((id) => newTask(id)),
        turn,
        T0,
      );
      expect(outcomes).toHaveLength(1_200);
      expect(outcomes.every(({ kind }) => kind === "created")).toBe(true);
      expect(await s.claimIds({ lanes: lanesOf({ standard: 2_000 }) })).toEqual(ids);
      expect((await s.store.get(ids.map((id) => newTask(id).id))).map((task) => task?.id)).toEqual(ids);
    });
  }
}
