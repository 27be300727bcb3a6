import type { InsertTurn, NewTask } from "@giveway/store";
import { describe, expect, it } from "vitest";
import { type Node, World } from "./support/world.ts";

async function setUp() {
  const world = new World();
  const node = await world.started({
    tasks: [world.type("work", () => "done")],
    queues: { default: { slots: 2, burst: 2 } },
  });
  return { world, node, engine: node.engine };
}

/** Turn and ids of each insert so far. */
function inserts(node: Node): readonly (readonly [InsertTurn, readonly string[]])[] {
  return node.link.asked("insert").map(([batch, turn]) => {
    return [turn as InsertTurn, (batch as readonly NewTask[]).map(({ id }) => id)] as const;
  });
}

describe("submits of one turn of the event loop", () => {
  it("share one insert per class of turn", async () => {
    const { node, engine } = await setUp();
    const ids = Array.from({ length: 100 }, (_, n) => `t${n}`);
    const answers = await Promise.all(
      ids.map((id, n) => engine.submit("work", n, { id, delay: "1h", weight: n % 10 === 0 ? 9 : 5 })),
    );
    expect(answers.every(({ created }) => created)).toBe(true);
    expect(inserts(node)).toEqual([
      ["express", ids.filter((_, n) => n % 10 === 0)],
      ["normal", ids.filter((_, n) => n % 10 !== 0)],
    ]);
  });

  it("are sent while the one before is still under way: the ledger joins them", async () => {
    const { node, engine, world } = await setUp();
    node.link.hold("insert");
    const first = engine.submit("work", 1, { id: "one", delay: "1h" });
    await world.settle();
    const second = engine.submit("work", 2, { id: "two", delay: "1h" });
    await world.settle();
    expect(inserts(node)).toEqual([
      ["normal", ["one"]],
      ["normal", ["two"]],
    ]);
    node.link.release();
    expect((await first).created && (await second).created).toBe(true);
  });

  it("wait for no timer: a lone one is sent within its own turn", async () => {
    const { node, engine } = await setUp();
    const submitted = engine.submit("work", 1, { id: "lone", delay: "1h" });
    for (let turns = 0; turns < 10 && inserts(node).length === 0; turns += 1) await null;
    expect(inserts(node)).toEqual([["normal", ["lone"]]]);
    await submitted;
  });

  it("with one id make one task, and agree on it", async () => {
    const { engine } = await setUp();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => engine.submit("work", 1, { id: "same", delay: "1h" })),
    );
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(answers.map(({ task }) => task.requestId)).size).toBe(1);
    const others = await Promise.allSettled([
      engine.submit("work", 1, { id: "x", delay: "1h" }),
      engine.submit("work", 2, { id: "x", delay: "1h" }),
    ]);
    expect(others).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { code: "id_conflict" } }]);
  });

  it("fail together when the ledger refuses, and can be repeated", async () => {
    const { node, engine, world } = await setUp();
    node.link.refuse("insert", "ledger_full");
    const refused = await Promise.allSettled([
      engine.submit("work", 1, { id: "a" }),
      engine.submit("work", 2, { id: "b" }),
    ]);
    expect(refused).toMatchObject([
      { status: "rejected", reason: { code: "ledger_full", retryable: true } },
      { status: "rejected", reason: { code: "ledger_full", retryable: true } },
    ]);
    node.link.heal();
    expect(await engine.submit("work", 1, { id: "a" })).toMatchObject({ created: true });
    await world.settle();
    expect(world.starts).toEqual(["a"]);
    expect(engine.slots()).toEqual([]);
  });

  it("whose answer got lost are safe to repeat, and run once", async () => {
    const { node, engine, world } = await setUp();
    node.link.loseAnswers("insert");
    await expect(engine.submit("work", 1, { id: "a" })).rejects.toMatchObject({ code: "ledger_unavailable" });
    node.link.heal();
    expect(await engine.submit("work", 1, { id: "a" })).toMatchObject({ created: false });
    await world.clock.advance(120_000);
    expect(world.starts).toEqual(["a"]);
    expect(await engine.get("a")).toMatchObject({ state: "succeeded" });
    // No slot was lost on the way: both can be filled at once.
    await Promise.all([engine.submit("work", 1), engine.submit("work", 1)]);
    await world.settle();
    expect(world.starts).toHaveLength(3);
  });
});

describe("a straight hand-off", () => {
  it("is asked for only where the task may start now", async () => {
    const { node, engine, world } = await setUp();
    await engine.submit("work", 1, { id: "now" });
    await engine.submit("work", 1, { id: "later", delay: 1 });
    await engine.submit("work", 1, { id: "expired", expires: world.clock.now() });
    const handOffs = node.link.asked("insert").map(([batch]) => (batch as readonly NewTask[])[0]?.handOff !== null);
    expect(handOffs).toEqual([true, false, false]);
    await world.settle();
    expect(world.starts).toEqual(["now"]);
    expect(node.eventsOf("now")).toEqual(["submitted", "started", "succeeded"]);
    expect(node.eventsOf("expired")).toEqual(["submitted", "cancelled"]);
  });

  it("of a known id gives its slot back", async () => {
    const { engine, world } = await setUp();
    await engine.submit("work", 1, { id: "known" });
    await world.settle();
    for (let n = 0; n < 5; n += 1)
      expect(await engine.submit("work", 1, { id: "known" })).toMatchObject({ created: false });
    await Promise.all([engine.submit("work", 1, { id: "x" }), engine.submit("work", 1, { id: "y" })]);
    await world.settle();
    expect(world.starts).toEqual(["known", "x", "y"]);
  });
});

describe("submitMany", () => {
  it("writes pages of at most 500 in the bulk turn, one at a time", async () => {
    const { node, engine, world } = await setUp();
    const items = Array.from({ length: 1_201 }, (_, n) => ({ type: "work", payload: n, id: `i${n}`, delay: "1h" }));
    node.link.hold("insert");
    const answers = engine.submitMany(items);
    await world.settle();
    expect(inserts(node).map(([turn, ids]) => [turn, ids.length])).toEqual([["bulk", 500]]);
    // A single submit isn't kept waiting behind the pages to come.
    const single = engine.submit("work", null, { id: "single", delay: "1h" });
    await world.settle();
    expect(inserts(node).map(([turn]) => turn)).toEqual(["bulk", "normal"]);
    node.link.release();
    await single;
    expect((await answers).map((answer) => ("task" in answer ? answer.task.id : answer.error))).toEqual(
      items.map(({ id }) => id),
    );
    expect(inserts(node).map(([turn, ids]) => [turn, ids.length])).toEqual([
      ["bulk", 500],
      ["normal", 1],
      ["bulk", 500],
      ["bulk", 201],
    ]);
  });

  it("tries no further page once the ledger refuses one; bad items keep their own errors", async () => {
    const { node, engine } = await setUp();
    node.link.refuse("insert", "ledger_read_only");
    const items = Array.from({ length: 1_500 }, (_, n) => ({
      type: n === 1_400 ? "wrok" : "work",
      payload: n,
      id: `i${n}`,
    }));
    const answers = await engine.submitMany(items);
    expect(inserts(node)).toHaveLength(1);
    const codes = answers.map((answer) => ("error" in answer ? (answer.error as { code?: string }).code : "created"));
    expect(codes[1_400]).toBe("unknown_type");
    expect(codes.filter((code) => code === "ledger_read_only")).toHaveLength(1_499);
    node.link.heal();
    const again = await engine.submitMany(items);
    expect(again.filter((answer) => "created" in answer && answer.created)).toHaveLength(1_499);
  });

  it("takes a list only, of objects only, and an empty one", async () => {
    const { engine } = await setUp();
    await expect(engine.submitMany({} as never)).rejects.toMatchObject({ code: "invalid_option", field: "items" });
    expect(await engine.submitMany([])).toEqual([]);
    expect(await engine.submitMany([null, "work", { type: "work", payload: 1, colour: "red" }] as never)).toMatchObject(
      [
        { error: { code: "invalid_option", message: /^item: expected an object/ } },
        { error: { code: "invalid_option", message: /^item: expected an object/ } },
        { error: { code: "invalid_option", field: "colour" } },
      ],
    );
  });

  it("answers duplicates within itself, and against what is there", async () => {
    const { engine } = await setUp();
    await engine.submit("work", 1, { id: "there", delay: "1h" });
    expect(
      await engine.submitMany([
        { type: "work", payload: 1, id: "there" },
        { type: "work", payload: 1, id: "twice", delay: "1h" },
        { type: "work", payload: 1, id: "twice" },
        { type: "work", payload: 2, id: "twice" },
        { type: "work", payload: 2, id: "there", onDuplicate: "replace", delay: "2h" },
        { type: "work", payload: 3, id: "there", onDuplicate: "reject" },
      ]),
    ).toMatchObject([
      { created: false, task: { id: "there" } },
      { created: true, task: { id: "twice" } },
      { created: false, task: { id: "twice" } },
      { error: { code: "id_conflict", field: "payload" } },
      { created: true, task: { id: "there", payload: 2 } },
      { error: { code: "id_conflict" } },
    ]);
  });
});

describe("replace", () => {
  it("decides anew on what somebody else wrote meanwhile", async () => {
    const { node, engine, world } = await setUp();
    await engine.submit("work", 1, { id: "x", delay: "1h" });
    node.link.hold("change");
    const replacing = engine.submit("work", 2, { id: "x", delay: "2h", onDuplicate: "replace" });
    await world.settle();
    const other = await world.started({ tasks: [] });
    await other.engine.reweight("x", 8);
    node.link.release();
    expect(await replacing).toMatchObject({ created: true, task: { payload: 2, weight: 5 } });
    expect((await engine.history("x")).changes.map(({ kind }) => kind)).toEqual(["reweighted", "replaced"]);
  });

  it("submits anew what was removed meanwhile", async () => {
    const { node, engine, world } = await setUp();
    await engine.submit("work", 1, { id: "x", delay: "1h" });
    node.link.hold("change");
    const replacing = engine.submit("work", 2, { id: "x", delay: "2h", onDuplicate: "replace" });
    await world.settle();
    const other = await world.started({ tasks: [] });
    await other.engine.remove("x");
    node.link.release();
    expect(await replacing).toMatchObject({ created: true, task: { payload: 2 } });
    expect((await engine.history("x")).changes).toEqual([]);
  });

  it("gives up when it loses every time", async () => {
    const { node, engine } = await setUp();
    const { task } = await engine.submit("work", 1, { id: "x", delay: "1h" });
    const [row] = await node.link.store.get([task.id as never]);
    node.link.answer("change", [{ kind: "refused", task: row }]);
    await expect(engine.submit("work", 2, { id: "x", delay: "2h", onDuplicate: "replace" })).rejects.toMatchObject({
      code: "changed_meanwhile",
      retryable: true,
    });
    expect(node.link.asked("change")).toHaveLength(10);
  });
});
