import { describe, expect, it } from "vitest";
import type { Node } from "./support/world.ts";
import { forever, World } from "./support/world.ts";

const ID = "order-1";
const FIRST = { n: 1, list: [1, 2] };
/** The same JSON, written in another order. */
const SAME = { list: [1, 2], n: 1 };
const OTHER = { n: 2, list: [1, 2] };

/** Brings a first task of the id into a state; answers what a repeat with the same payload should find there. */
const STATES: readonly (readonly [
  state: string,
  reach: (node: Node, world: World) => Promise<void>,
  expected: object,
])[] = [
  [
    "waiting",
    async (node) => void (await node.engine.submit("work", FIRST, { id: ID, delay: "1h" })),
    { state: "waiting" },
  ],
  [
    "running",
    async (node, world) => {
      await node.engine.submit("hangs", FIRST, { id: ID });
      await world.settle();
    },
    { state: "running" },
  ],
  [
    "waiting for a retry",
    async (node, world) => {
      await node.engine.submit("fails", FIRST, { id: ID });
      await world.settle();
    },
    { state: "waiting", view: "retrying" },
  ],
  [
    "succeeded",
    async (node, world) => {
      await node.engine.submit("work", FIRST, { id: ID });
      await world.settle();
    },
    { state: "succeeded" },
  ],
  [
    "dead",
    async (node, world) => {
      await node.engine.submit("doomed", FIRST, { id: ID });
      await world.settle();
    },
    { state: "dead" },
  ],
  [
    "cancelled",
    async (node) => {
      await node.engine.submit("work", FIRST, { id: ID, delay: "1h" });
      await node.engine.cancel(ID);
    },
    { state: "cancelled" },
  ],
  [
    "succeeded and removed",
    async (node, world) => {
      await node.engine.submit("work", FIRST, { id: ID });
      await world.settle();
      await node.engine.remove(ID);
    },
    { state: "succeeded" },
  ],
];

const TYPE_OF: Readonly<Record<string, string>> = { running: "hangs", "waiting for a retry": "fails", dead: "doomed" };

async function setUp(reach: (node: Node, world: World) => Promise<void>) {
  const world = new World();
  const node = await world.started({
    tasks: [
      world.type("work", () => "done"),
      world.type("hangs", forever),
      world.type("fails", () => {
        throw new Error("not yet");
      }),
      world.type("doomed", () => {
        throw Object.assign(new Error("never"), { retryable: false });
      }),
    ],
  });
  await reach(node, world);
  return { world, node, starts: world.starts.length };
}

describe.each(STATES)("V-29: the same id again while the first is %s", (name, reach, expected) => {
  const type = TYPE_OF[name] ?? "work";

  it("answers what became of the first, and starts nothing", async () => {
    const { world, node, starts } = await setUp(reach);
    const answer = await node.engine.submit(type, SAME, { id: ID });
    expect(answer).toMatchObject({ created: false, task: { id: ID, ...expected } });
    expect(answer.pruned).toBe(name === "succeeded and removed" ? true : undefined);
    await world.settle();
    expect(world.starts).toHaveLength(starts);
    expect(node.eventsOf(ID)).toContain("duplicate");
  });

  it("is a conflict with another payload or another type", async () => {
    const { world, node, starts } = await setUp(reach);
    await expect(node.engine.submit(type, OTHER, { id: ID })).rejects.toMatchObject({
      code: "id_conflict",
      retryable: false,
    });
    const otherType = type === "work" ? "doomed" : "work";
    await expect(node.engine.submit(otherType, FIRST, { id: ID })).rejects.toMatchObject({ code: "id_conflict" });
    await world.settle();
    expect(world.starts).toHaveLength(starts);
  });

  it("is an error with onDuplicate: reject", async () => {
    const { node } = await setUp(reach);
    await expect(node.engine.submit(type, SAME, { id: ID, onDuplicate: "reject" })).rejects.toMatchObject({
      code: "duplicate_id",
    });
  });

  it("replaces only what has not started", async () => {
    const { node } = await setUp(reach);
    const replaced = name === "waiting";
    const answer = await node.engine.submit(type, OTHER, { id: ID, onDuplicate: "replace", delay: "2h" });
    if (replaced) expect(answer).toMatchObject({ task: { payload: OTHER } });
    else expect(answer).toMatchObject({ created: false, reason: expect.stringMatching(/./) });
  });
});

describe("V-31: batch adds", () => {
  it("answer one result per item in order; sending again is safe", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.type("work", () => "done")] });
    const items = Array.from({ length: 1000 }, (_, n) => ({ type: "work", payload: { n }, id: `item-${n}` }));
    const broken = [
      ...items.slice(0, 500),
      { type: "work", payload: 1n as unknown, id: "bad-payload" },
      { type: "wrok", payload: null, id: "bad-type" },
      { type: "work", payload: "x".repeat(300_000), id: "too-large" },
      { type: "work", payload: { n: 3 }, id: "item-3" },
      ...items.slice(500),
    ];
    const answers = await node.engine.submitMany(broken);
    expect(answers).toHaveLength(1004);
    expect(answers.slice(500, 504)).toMatchObject([
      { error: { code: "unstorable_value" } },
      { error: { code: "unknown_type" } },
      { error: { code: "payload_too_large" } },
      { created: false, task: { id: "item-3" } },
    ]);
    expect(answers.filter((answer) => "created" in answer && answer.created)).toHaveLength(1000);
    const again = await node.engine.submitMany(items);
    expect(again.every((answer) => "created" in answer && !answer.created)).toBe(true);
    await node.engine.drain();
    expect(world.starts).toHaveLength(1000);
    expect(new Set(world.starts).size).toBe(1000);
  });
});

describe("bad input is one coded error that names the field", () => {
  it.each([
    [{ weight: 11 }, "invalid_weight", "weight"],
    [{ weight: "urgent" }, "invalid_weight", "weight"],
    [{ delay: "soon" }, "invalid_duration", "delay"],
    [{ delay: -1 }, "invalid_duration", "delay"],
    [{ runAt: "yesterday" }, "invalid_date", "runAt"],
    [{ deadline: new Date(Number.NaN) }, "invalid_date", "deadline"],
    [{ delay: "1s", runAt: new Date() }, "invalid_option", expect.any(String)],
    [{ id: "" }, "invalid_id", "id"],
    [{ id: "x".repeat(256) }, "invalid_id", "id"],
    [{ id: "a\u0000b" }, "invalid_id", "id"],
    [{ name: "x".repeat(201) }, "invalid_option", "name"],
    [{ tags: ["x".repeat(101)] }, "invalid_option", expect.stringContaining("tags")],
    [{ queue: "nowhere" }, "unknown_queue", "queue"],
    [{ onDuplicate: "ignore" }, "invalid_option", "onDuplicate"],
    [{ wieght: 3 }, "invalid_option", expect.stringContaining("wieght")],
  ])("%j", async (options, code, field) => {
    const world = new World();
    const node = await world.started({ tasks: [world.type("work", () => "done")] });
    const error = await node.engine.submit("work", null, options as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, field, retryable: false });
    expect((error as Error).message.split("\n")).toHaveLength(1);
    expect(world.starts).toEqual([]);
  });

  it.each([
    ["an unknown type", "wrok", null, "unknown_type"],
    ["a BigInt", "work", { a: 1n }, "unstorable_value"],
    ["a function", "work", { a: () => 1 }, "unstorable_value"],
    ["a NUL", "work", { a: "\u0000" }, "unstorable_value"],
    ["half a surrogate pair", "work", { a: "\ud800" }, "unstorable_value"],
    ["a prototype key", "work", JSON.parse('{"__proto__": {"x": 1}}'), "unstorable_value"],
    ["too much", "work", "x".repeat(262_145), "payload_too_large"],
  ])("%s", async (_what, type, payload, code) => {
    const world = new World();
    const node = await world.started({ tasks: [world.type("work", () => "done")] });
    await expect(node.engine.submit(type, payload)).rejects.toMatchObject({ code });
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    await expect(node.engine.submit("work", cycle)).rejects.toMatchObject({
      code: "unstorable_value",
      field: expect.stringContaining("self"),
    });
    expect((await node.engine.find()).items).toEqual([]);
  });
});
