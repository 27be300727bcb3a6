import { describe, expect, it } from "vitest";
import { forever, World } from "./support/world.ts";

async function setUp(queues = { default: { slots: 1, burst: 1 } }) {
  const world = new World();
  const node = await world.started({
    queues,
    tasks: [
      world.type("work", (payload) => payload, { timeout: "1h" }),
      world.type("hangs", forever, { timeout: "1d" }),
      world.type("doomed", (payload) => {
        if (payload["mended"] === true) return "mended";
        throw Object.assign(new Error("never"), { retryable: false });
      }),
    ],
  });
  return { world, node, engine: node.engine };
}

describe("reweight", () => {
  it("acts at once on what waits: the reweighted task starts next (B1)", async () => {
    const { world, engine } = await setUp();
    await engine.submit("hangs", {}, { id: "holder" });
    await world.settle();
    for (const id of ["a", "b", "c"]) await engine.submit("work", {}, { id });
    expect(await engine.reweight("c", "critical", { by: "ops" })).toMatchObject({ weight: 10, lane: "express" });
    expect((await engine.next("default")).map(({ id }) => id)).toEqual(["c", "a", "b"]);
    await engine.cancel("holder");
    await world.clock.advance(10_000);
    expect(world.starts).toEqual(["holder", "c", "a", "b"]);
    expect((await engine.history("c")).changes).toMatchObject([
      { kind: "reweighted", by: "ops", before: { weight: 5 }, after: { weight: 10 } },
    ]);
  });

  it("refuses what has ended, in one line that names the state", async () => {
    const { world, engine } = await setUp();
    await engine.submit("work", {}, { id: "done" });
    await world.settle();
    await expect(engine.reweight("done", 9)).rejects.toMatchObject({
      code: "wrong_state",
      message: expect.stringContaining("succeeded"),
    });
    await expect(engine.reweight("nowhere", 9)).rejects.toMatchObject({ code: "task_not_found" });
  });
});

describe("edit, rerun, remove, redrive (C17)", () => {
  it("edit changes payload, name and due time of what waits", async () => {
    const { world, engine } = await setUp();
    await engine.submit("work", { n: 1 }, { id: "later", delay: "1d" });
    expect(await engine.edit("later", { payload: { n: 2 }, name: "sooner", delay: 0 })).toMatchObject({
      payload: { n: 2 },
      name: "sooner",
    });
    await world.settle();
    expect(await engine.get("later")).toMatchObject({ state: "succeeded", result: { n: 2 } });
    await expect(engine.edit("later", { payload: 1 })).rejects.toMatchObject({ code: "wrong_state" });
  });

  it("rerun of a dead task continues it with its history; of a succeeded one makes a new task", async () => {
    const { world, engine } = await setUp();
    const { task } = await engine.submit("doomed", {}, { id: "d" });
    await world.settle();
    const again = await engine.rerun("d", { payload: { mended: true }, by: "ops" });
    expect(again).toMatchObject({ created: false, task: { id: "d", requestId: task.requestId } });
    await world.settle();
    expect(await engine.get("d")).toMatchObject({ state: "succeeded", result: "mended", attempt: 2 });
    expect((await engine.history("d")).attempts.map(({ outcome }) => outcome)).toEqual(["failed", "succeeded"]);
    const copy = await engine.rerun("d");
    expect(copy).toMatchObject({ created: true, task: { rerunOf: "d" } });
    expect(copy.task.id).not.toBe("d");
    expect(copy.task.requestId).not.toBe(task.requestId);
  });

  it("remove deletes what isn't running", async () => {
    const { world, engine } = await setUp();
    await engine.submit("hangs", {}, { id: "busy" });
    await engine.submit("work", {}, { id: "waits" });
    await world.settle();
    await expect(engine.remove("busy")).rejects.toMatchObject({ code: "wrong_state" });
    await engine.remove("waits");
    expect(await engine.get("waits")).toBeNull();
    await expect(engine.history("waits")).rejects.toMatchObject({ code: "task_not_found" });
  });

  it("redrive counts first where asked, then keeps its rate", async () => {
    const { world, engine } = await setUp({ default: { slots: 8, burst: 8 } });
    for (let n = 0; n < 30; n += 1) await engine.submit("doomed", {}, { id: `d${n}` });
    await world.settle();
    expect(await engine.redrive({ type: "doomed" }, { dryRun: true })).toEqual({ matched: 30, redriven: 0 });
    const begun = world.clock.now();
    let done = false;
    const run = engine.redrive({ type: "doomed" }, { rate: 10, payload: { mended: true } }).finally(() => {
      done = true;
    });
    await world.clock.advanceUntil(() => done, 60_000);
    expect(await run).toEqual({ matched: 30, redriven: 30 });
    expect(world.clock.now() - begun).toBeGreaterThanOrEqual(2_000);
    await world.settle();
    expect((await engine.stats()).dead).toBe(0);
  });
});

describe("live settings", () => {
  it("are shown with their author, win over code, and end by null", async () => {
    const { engine } = await setUp();
    await engine.setQueue("default", { slots: 3, share: 50, by: "ops" });
    expect(await engine.queue("default")).toMatchObject({
      slots: 3,
      share: 50,
      overrides: [{ by: "ops" }, { by: "ops" }],
    });
    await engine.setQueue("default", { slots: null, share: null });
    expect(await engine.queue("default")).toMatchObject({ slots: 1, share: 70, overrides: [] });
    await expect(engine.setQueue("default", { slots: 0 })).rejects.toMatchObject({
      code: "invalid_option",
      field: expect.stringContaining("slots"),
    });
    await expect(engine.setQueue("nowhere", { slots: 1 })).rejects.toMatchObject({ code: "unknown_queue" });
  });
});

describe("why", () => {
  const codes = (why: { readonly reasons: readonly { readonly code: string }[] }) =>
    why.reasons.map(({ code }) => code);

  it("answers each cause of waiting, running and ending", async () => {
    const { world, engine } = await setUp();
    await engine.submit("hangs", {}, { id: "holder" });
    await world.settle();
    for (const id of ["first", "second"]) await engine.submit("work", {}, { id });
    await engine.submit("work", {}, { id: "later", delay: "1h" });
    expect(codes(await engine.why("later"))).toContain("due_time");
    expect(codes(await engine.why("second"))).toEqual(expect.arrayContaining(["slots"]));
    expect(await engine.why("second")).toMatchObject({
      position: 1,
      weight: { base: 5, gained: 0, effective: 5, ceiling: 6 },
    });
    await world.clock.advance(5_000);
    expect(await engine.why("second")).toMatchObject({ weight: { gained: 1, effective: 6 } });
    await engine.pause({ type: "work" });
    expect(codes(await engine.why("first"))).toContain("paused_type");
    await engine.resume({ type: "work" });
    await engine.pause({ queue: "default" });
    expect(codes(await engine.why("first"))).toContain("paused_queue");
    await engine.resume({ queue: "default" });
    expect(await engine.why("holder")).toMatchObject({ state: "running" });
    await engine.submit("doomed", {}, { id: "d", weight: 10 });
    await engine.cancel("holder");
    await world.clock.advance(10_000);
    const dead = await engine.why("d");
    expect(dead).toMatchObject({ state: "dead", attempts: [{ outcome: "failed" }] });
    for (const reason of dead.reasons) expect(reason.text.length).toBeGreaterThan(10);
  });
});
