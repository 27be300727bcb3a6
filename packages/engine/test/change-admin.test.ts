import { describe, expect, it } from "vitest";
import type { QueueOptions, Scheduler } from "../src/index.ts";
import { forever, World } from "./support/world.ts";

async function setUp(queues: Readonly<Record<string, QueueOptions>> = { default: { slots: 1, burst: 1 } }) {
  const world = new World();
  const node = await world.started({
    queues,
    tasks: [
      world.type("work", (payload) => payload),
      world.sleeper(),
      world.type("hangs", forever, { timeout: "1d" }),
      world.type(
        "checked",
        (payload: unknown) => {
          if (payload === "die") throw new TypeError("as told");
          return payload;
        },
        {
          validate: (payload) => {
            if (typeof payload !== "string") throw new Error("expected text");
            return payload;
          },
        },
      ),
      world.type("doomed", (payload) => {
        if (payload["mended"] === true) return "mended";
        throw Object.assign(new Error("never"), { retryable: false });
      }),
      world.type(
        "polite",
        (_, ctx) =>
          new Promise((_resolve, reject) => {
            ctx.signal.addEventListener("abort", () => world.clock.sleep(1_000).then(() => reject(ctx.signal.reason)));
          }),
      ),
    ],
  });
  return { world, node, engine: node.engine };
}

async function dead(engine: Scheduler, world: World, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await engine.submit("doomed", { n }, { id: `d${n}` });
  await world.settle();
}

describe("every change", () => {
  it.each<[name: string, call: (engine: Scheduler, id: string) => Promise<unknown>]>([
    ["cancel", (engine, id) => engine.cancel(id)],
    ["reweight", (engine, id) => engine.reweight(id, 3)],
    ["edit", (engine, id) => engine.edit(id, { name: "new" })],
    ["rerun", (engine, id) => engine.rerun(id)],
    ["remove", (engine, id) => engine.remove(id)],
    ["history", (engine, id) => engine.history(id)],
    ["why", (engine, id) => engine.why(id)],
  ])("%s of an id nobody knows is task_not_found, of no id invalid_id", async (_name, call) => {
    const { engine, world } = await setUp();
    await expect(call(engine, "nobody")).rejects.toMatchObject({ code: "task_not_found", subject: "nobody" });
    await expect(call(engine, "")).rejects.toMatchObject({ code: "invalid_id", field: "id" });
    await engine.submit("work", 1, { id: "gone" });
    await world.settle();
    await engine.remove("gone");
    await expect(call(engine, "gone")).rejects.toMatchObject({
      code: "task_not_found",
      message: expect.stringMatching(/^task gone succeeded at .* its row is gone/),
    });
  });

  it("is recorded with who and why", async () => {
    const { engine } = await setUp();
    await engine.submit("work", 1, { id: "x", delay: "1h" });
    await engine.reweight("x", "low", { by: "anna", cause: "can wait" });
    await engine.edit("x", { name: "renamed", runAt: "2030-01-01T00:00:00Z" }, { by: "ben" });
    await engine.cancel("x");
    expect((await engine.history("x")).changes).toMatchObject([
      { kind: "reweighted", by: "anna", cause: "can wait", before: { weight: 5 }, after: { weight: 2 } },
      { kind: "edited", by: "ben", cause: null, after: { name: "renamed" } },
      { kind: "cancelled", by: "api", before: "waiting", after: "cancelled" },
    ]);
    await expect(engine.rerun("x", { by: "" })).rejects.toMatchObject({ code: "invalid_option", field: "by" });
    await expect(engine.cancel("x", { who: "anna" } as never)).rejects.toMatchObject({ field: "who" });
  });

  it("is decided anew on what another node wrote meanwhile, and says so when it loses ten times", async () => {
    const { node, engine, world } = await setUp();
    const other = await world.started({ tasks: [] });
    await engine.submit("work", 1, { id: "x", delay: "1h" });
    node.link.hold("change");
    const cancelling = engine.cancel("x");
    await world.settle();
    await other.engine.reweight("x", 9);
    node.link.release();
    expect(await cancelling).toMatchObject({ state: "cancelled", weight: 9 });

    await engine.submit("work", 1, { id: "y", delay: "1h" });
    const [row] = await node.link.store.get(["y" as never]);
    node.link.answer("change", [{ kind: "refused", task: row }]);
    await expect(engine.cancel("y")).rejects.toMatchObject({ code: "changed_meanwhile", retryable: true });
    node.link.answer("change", [{ kind: "refused", task: null }]);
    await expect(engine.cancel("y")).rejects.toMatchObject({ code: "task_not_found" });
    node.link.answer("remove", [{ kind: "refused", task: row }]);
    await expect(engine.remove("y")).rejects.toMatchObject({ code: "changed_meanwhile" });
    node.link.heal();
    expect(await engine.get("y")).toMatchObject({ state: "waiting" });
  });
});

describe("cancel", () => {
  it("answers the cancelled task again, with one event; of an ended one it is wrong_state", async () => {
    const { node, engine, world } = await setUp();
    await engine.submit("work", 1, { id: "x", delay: "1h" });
    const first = await engine.cancel("x");
    expect(first).toMatchObject({ state: "cancelled", endReason: "by_hand", lastOutcome: null, settling: false });
    expect(await engine.cancel("x")).toEqual(first);
    expect(node.eventsOf("x")).toEqual(["submitted", "cancelled"]);
    await engine.submit("work", 1, { id: "done" });
    await world.settle();
    await expect(engine.cancel("done")).rejects.toMatchObject({
      code: "wrong_state",
      message: "task done is succeeded and can't be cancelled",
    });
  });

  it("shows a running task as settling until its handler ends; only then may it run again", async () => {
    const { node, engine, world } = await setUp();
    await engine.submit("polite", null, { id: "p" });
    await world.settle();
    expect(await engine.cancel("p")).toMatchObject({ state: "cancelled", settling: true, lastOutcome: "cancelled" });
    await expect(engine.rerun("p")).rejects.toMatchObject({ code: "wrong_state", retryable: true });
    expect(node.events.find(({ kind }) => kind === "cancelled")).toMatchObject({
      data: { outcome: "cancelled", reason: "by_hand", by: "api" },
    });
    await world.clock.advance(1_000);
    expect(await engine.get("p")).toMatchObject({ settling: false });
    expect(await engine.rerun("p")).toMatchObject({ created: false, task: { state: "waiting", retries: 0 } });
    await world.settle();
    expect(await engine.get("p")).toMatchObject({ state: "running", attempt: 2 });
    await engine.cancel("p");
    await world.clock.advance(1_000);
  });
});

describe("edit and reweight", () => {
  it.each<[patch: object, code: string, field: string]>([
    [{}, "invalid_option", "options"],
    [{ weight: undefined }, "invalid_option", "options"],
    [{ wieght: 3 }, "invalid_option", "wieght"],
    [{ weight: 0 }, "invalid_weight", "weight"],
    [{ delay: "1s", runAt: 0 }, "invalid_option", "delay"],
    [{ runAt: "soon" }, "invalid_date", "runAt"],
    [{ name: 7 }, "invalid_option", "name"],
    [{ payload: 7 }, "invalid_payload", "payload"],
    [{ payload: 7n }, "unstorable_value", "payload"],
  ])("%o is refused", async (patch, code, field) => {
    const { engine } = await setUp();
    const { task } = await engine.submit("checked", "text", { delay: "1h" });
    await expect(engine.edit(task.id, patch)).rejects.toMatchObject({ code, field });
    expect(await engine.get(task.id)).toEqual(task);
  });

  it("refuse as a whole what the state forbids in one field", async () => {
    const { engine, world } = await setUp();
    await engine.submit("hangs", null, { id: "h" });
    await world.settle();
    await expect(engine.edit("h", { weight: 3, payload: 1 })).rejects.toMatchObject({
      code: "wrong_state",
      message: "task h is running and can't be changed in its payload",
    });
    expect(await engine.get("h")).toMatchObject({ weight: 5, payload: null });
    expect(await engine.edit("h", { weight: 3 })).toMatchObject({ weight: 3 });
    expect(engine.slots()).toMatchObject([{ task: "h", weight: 3 }]);
  });

  it("that change nothing write nothing and tell nobody", async () => {
    const { node, engine } = await setUp();
    const { task } = await engine.submit("work", 1, { id: "x", delay: "1h", name: "n" });
    expect(await engine.edit("x", { name: "n", weight: "normal" })).toEqual(task);
    expect(node.link.asked("change")).toEqual([]);
    expect(node.eventsOf("x")).toEqual(["submitted"]);
  });

  it("take a name away, and start at once what becomes due", async () => {
    const { node, engine, world } = await setUp();
    await engine.submit("work", 1, { id: "x", delay: "1h", name: "n" });
    expect(await engine.edit("x", { name: null, delay: 0 })).toMatchObject({ name: null });
    await world.settle();
    expect(node.eventsOf("x")).toEqual(["submitted", "edited", "started", "succeeded"]);
  });
});

describe("rerun", () => {
  it("of a succeeded task makes one anew each time, with what the first had", async () => {
    const { engine, world } = await setUp();
    const options = { id: "x", name: "n", weight: 8, tags: ["t"], timeout: "9s", expires: "2030-01-01T00:00:00Z" };
    const { task } = await engine.submit("work", { a: 1 }, options);
    await world.settle();
    const again = await engine.rerun("x", { delay: "1h" });
    expect(again).toMatchObject({
      created: true,
      task: { rerunOf: "x", name: "n", weight: 8, tags: ["t"], payload: { a: 1 }, view: "delayed", expires: null },
    });
    expect(again.task.id).not.toBe("x");
    expect(again.task.requestId).not.toBe(task.requestId);
    expect((await engine.rerun("x", { payload: { a: 2 } })).task).toMatchObject({ payload: { a: 2 }, rerunOf: "x" });
    await expect(engine.rerun("x", { delay: "never" })).rejects.toMatchObject({ field: "delay" });
    await expect(engine.rerun("x", { dealy: 1 } as never)).rejects.toMatchObject({ field: "dealy" });
  });

  it("of a dead or cancelled task goes on with it, also with another payload", async () => {
    const { node, engine, world } = await setUp();
    await dead(engine, world, 1);
    const before = await engine.get("d0");
    expect(await engine.rerun("d0", { payload: { mended: true }, by: "anna" })).toMatchObject({
      created: false,
      task: { id: "d0", state: "waiting", requestId: before?.requestId, endReason: null },
    });
    await world.settle();
    expect(await engine.get("d0")).toMatchObject({ state: "succeeded", result: "mended", attempt: 2 });
    expect((await engine.history("d0")).attempts.map(({ outcome }) => outcome)).toEqual(["failed", "succeeded"]);
    expect(node.eventsOf("d0")).toEqual(["submitted", "started", "failed", "dead", "rerun", "started", "succeeded"]);
  });

  it("of one that waits or runs is wrong_state", async () => {
    const { engine, world } = await setUp();
    await engine.submit("hangs", null, { id: "h" });
    await engine.submit("work", null, { id: "w", delay: "1h" });
    await world.settle();
    for (const id of ["h", "w"]) await expect(engine.rerun(id)).rejects.toMatchObject({ code: "wrong_state" });
  });
});

describe("redrive", () => {
  it("takes dead tasks only, by filter or by ids", async () => {
    const { engine, world } = await setUp();
    await dead(engine, world, 5);
    await engine.submit("work", 1, { id: "fine" });
    await engine.submit("work", 1, { id: "cancelled", delay: "1h" });
    await engine.cancel("cancelled");
    await world.settle();
    expect(await engine.redrive({}, { dryRun: true })).toEqual({ matched: 5, redriven: 0 });
    expect(await engine.redrive({ type: "work" })).toEqual({ matched: 0, redriven: 0 });
    expect(await engine.redrive({ state: ["failed", "cancelled"] }, { dryRun: true })).toMatchObject({ matched: 5 });
    const ids = ["d1", "d1", "d3", "fine", "cancelled", "nobody"];
    expect(await engine.redrive({ ids }, { dryRun: true })).toEqual({ matched: 2, redriven: 0 });
    const redriving = engine.redrive({ ids }, { payload: { mended: true }, by: "anna" });
    await world.clock.advance(1_000);
    expect(await redriving).toEqual({ matched: 2, redriven: 2 });
    const states = await Promise.all(["d0", "d1", "d2", "d3", "d4"].map((id) => engine.get(id)));
    expect(states.map((task) => task?.state)).toEqual(["dead", "succeeded", "dead", "succeeded", "dead"]);
    expect((await engine.history("d1")).changes).toMatchObject([{ kind: "redriven", by: "anna" }]);
  });

  it("keeps its rate by the clock, and its limit", async () => {
    const { node, engine, world } = await setUp();
    await dead(engine, world, 30);
    let done: object | null = null;
    void engine.redrive({}, { rate: 20, limit: 25, payload: { mended: true } }).then((answer) => {
      done = answer;
    });
    const redriven = (): number => node.events.filter(({ kind }) => kind === "rerun").length;
    await world.settle();
    expect(redriven()).toBe(2);
    await world.clock.advance(500);
    expect(redriven()).toBe(12);
    await world.clock.advance(700);
    expect(redriven()).toBe(25);
    expect(done).toEqual({ matched: 30, redriven: 25 });
  });

  it("visits a task once, even where it dies again at once", async () => {
    const { node, engine, world } = await setUp();
    await dead(engine, world, 12);
    const redriving = engine.redrive({}, { rate: 10 });
    await world.clock.advance(5_000);
    expect(await redriving).toEqual({ matched: 12, redriven: 12 });
    expect(node.events.filter(({ kind }) => kind === "dead")).toHaveLength(24);
  });

  it("passes over what is no longer dead when its turn comes, and what was changed it decides anew", async () => {
    const { node, engine, world } = await setUp();
    await dead(engine, world, 3);
    const other = await world.started({ tasks: [] });
    node.link.hold("change");
    const redriving = engine.redrive({}, { payload: { mended: true }, rate: 1_000 });
    await world.settle();
    await other.engine.edit("d0", { name: "touched" });
    await other.engine.remove("d1");
    await other.engine.rerun("d2", { delay: "1h" });
    node.link.release();
    await world.clock.advance(1_000);
    expect(await redriving).toEqual({ matched: 3, redriven: 1 });
    expect(await engine.get("d0")).toMatchObject({ state: "succeeded", name: "touched" });
    expect(await engine.get("d2")).toMatchObject({ view: "delayed", payload: { n: 2 } });
  });

  it("begins nothing where the new payload does not fit every type", async () => {
    const { node, engine, world } = await setUp();
    await dead(engine, world, 2);
    await engine.submit("checked", "die", { id: "c" });
    await world.settle();
    await expect(engine.redrive({}, { payload: { mended: true } })).rejects.toMatchObject({ code: "invalid_payload" });
    await expect(engine.redrive({ type: "doomed" }, { payload: 1n })).rejects.toMatchObject({
      code: "unstorable_value",
    });
    expect(node.eventsOf("d0")).not.toContain("rerun");
    expect(await engine.find({ state: "dead" })).toMatchObject({ items: [{}, {}, {}] });
  });

  it.each<[filter: object, options: object | undefined, code: string, field: string]>([
    [{ stat: "dead" }, undefined, "invalid_filter", "stat"],
    [{ state: "ded" }, undefined, "invalid_filter", "state"],
    [{ ids: "d0" }, undefined, "invalid_filter", "ids"],
    [{ ids: ["d0", ""] }, undefined, "invalid_filter", "ids[1]"],
    [{ ids: ["d0"], type: "doomed" }, undefined, "invalid_filter", "ids"],
    [{ ids: Array.from({ length: 10_001 }, (_, n) => `d${n}`) }, undefined, "invalid_filter", "ids"],
    [{}, { rate: 0 }, "invalid_option", "rate"],
    [{}, { limit: 0 }, "invalid_option", "limit"],
    [{}, { dryRun: "yes" }, "invalid_option", "dryRun"],
    [{}, { speed: 5 }, "invalid_option", "speed"],
  ])("refuses bad input", async (filter, options, code, field) => {
    const { engine } = await setUp();
    await expect(engine.redrive(filter, options)).rejects.toMatchObject({ code, field });
  });

  it("ends with the scheduler", async () => {
    const { node, engine, world } = await setUp();
    await dead(engine, world, 3);
    const redriving = expect(engine.redrive({}, { rate: 0.01 })).rejects.toMatchObject({ code: "stopped" });
    await world.settle();
    await world.stop(node);
    await redriving;
    expect(world.clock.timers).toBe(0);
  });
});

describe("live settings", () => {
  it("are written only if all of them are right", async () => {
    const { node, engine } = await setUp({ default: { slots: 4, burst: 8 } });
    for (const [patch, field] of [
      [{}, "options"],
      [{ by: "anna" }, "options"],
      [{ slots: 0 }, "slots"],
      [{ slots: 3, share: 300 }, "share"],
      [{ slots: 6, burst: 5 }, "burst"],
      [{ burst: 3 }, "burst"],
      [{ steps: { standard: "soon" } }, "steps.standard"],
      [{ steps: { epress: 1 } }, "steps.epress"],
      [{ paused: "yes" }, "paused"],
      [{ pause: true }, "pause"],
    ] as const) {
      await expect(engine.setQueue("default", patch as never)).rejects.toMatchObject({ field });
    }
    expect(node.link.asked("override")).toEqual([]);
    await expect(engine.setQueue("defualt", { slots: 1 })).rejects.toMatchObject({ code: "unknown_queue" });
  });

  it("act at once, are told once, and end by null", async () => {
    const { node, engine, world } = await setUp({ default: { slots: 4, burst: 8 } });
    expect(await engine.setQueue("default", { slots: 2, steps: { express: "2s" }, by: "anna" })).toMatchObject({
      slots: 2,
      burst: 6,
      cap: 1,
      overrides: [
        { key: "slots", value: 2, by: "anna" },
        { key: "steps", value: { standard: 5_000, express: 2_000 }, by: "anna" },
      ],
    });
    await engine.setQueue("default", { slots: 2 });
    expect(await engine.setQueue("default", { slots: null, steps: null, burst: 4 })).toMatchObject({
      slots: 4,
      burst: 4,
      overrides: [{ key: "burst" }],
    });
    const told = node.events
      .filter(({ kind }) => kind === "queue_changed")
      .map(({ data }) => [data["before"], data["after"]]);
    expect(told).toEqual([
      [null, 2],
      [null, { standard: 5_000, express: 2_000 }],
      [2, null],
      [null, 4],
      [{ standard: 5_000, express: 2_000 }, null],
    ]);
    for (let n = 0; n < 6; n += 1) await engine.submit("hangs", n);
    await world.settle();
    expect(engine.slots()).toHaveLength(3);
  });

  it("pause and resume queues and types, also those only others know", async () => {
    const { engine, world } = await setUp();
    const other = await world.started({ tasks: [world.type("far", () => null, { queue: "far" })] });
    await other.engine.submit("far", null, { id: "f", delay: "1h" });
    await engine.pause({ queue: "far" });
    await engine.pause({ type: "far" });
    expect((await engine.queues()).find(({ name }) => name === "far")).toMatchObject({
      paused: true,
      types: [{ type: "far", paused: true }],
    });
    await engine.resume({ queue: "far" });
    await engine.resume({ type: "far" });
    expect(await engine.queue("far")).toMatchObject({ paused: false, overrides: [], types: [{ paused: false }] });
    await expect(engine.pause({ queue: "fra" })).rejects.toMatchObject({ code: "unknown_queue" });
    await expect(engine.pause({ type: "fra" })).rejects.toMatchObject({ code: "unknown_type" });
    for (const target of [{}, { queue: "far", type: "far" }, { kind: "far" }, null]) {
      await expect(engine.pause(target as never)).rejects.toMatchObject({ code: "invalid_option" });
    }
  });
});
