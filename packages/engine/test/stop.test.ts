import { describe, expect, it } from "vitest";
import type { HandlerContext } from "../src/index.ts";
import { forever, type Payload, World } from "./support/world.ts";

describe("stop (A20)", () => {
  const outcomes: readonly (readonly [string, (world: World, payload: Payload, ctx: HandlerContext) => unknown])[] = [
    ["complete", (world, _, ctx) => world.clock.sleep(100, ctx.signal)],
    [
      "fail",
      async (world) => {
        await world.clock.sleep(100);
        throw new Error("x");
      },
    ],
    [
      "snooze",
      async (world, _, ctx) => {
        await world.clock.sleep(1);
        ctx.snooze(0);
      },
    ],
    ["time out", (world, _, ctx) => world.clock.sleep(60_000, ctx.signal)],
    ["never settle", forever],
  ];

  it.each(outcomes)("V-07: ends in time for handlers that %s, and nothing starts after the call", async (_, run) => {
    const world = new World();
    const type = world.type("work", (payload, ctx) => run(world, payload, ctx), {
      timeout: "2s",
      retry: { delays: ["0ms", "0ms", "0ms"] },
    });
    const node = await world.started({ tasks: [type] });
    for (let n = 0; n < 50; n += 1) await node.engine.submit("work", {}, { id: `t${n}` });
    await world.clock.advance(150);
    const started = world.starts.length;
    const before = world.clock.monotonic();
    let stoppedAt = Number.POSITIVE_INFINITY;
    const report = node.engine.stop({ timeout: "10s" }).then((answer) => {
      stoppedAt = world.clock.monotonic();
      return answer;
    });
    await world.clock.advance(12_000);
    await report;
    expect(stoppedAt - before).toBeLessThanOrEqual(10_000);
    expect(world.starts).toHaveLength(started);
    expect(world.clock.timers).toBe(0);
  });

  it("V-07: ends in time where the tasks are cancelled meanwhile", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    for (let n = 0; n < 50; n += 1) await node.engine.submit("sleep", { ms: 60_000 }, { id: `t${n}` });
    await world.settle();
    const report = node.engine.stop({ timeout: "10s" });
    for (let n = 0; n < 50; n += 1) await node.engine.cancel(`t${n}`);
    await world.settle();
    expect(await report).toEqual({ finished: 0, released: 0, abandoned: 0 });
    expect(world.starts).toHaveLength(4);
  });

  it("lets running work end and reports it", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    for (let n = 0; n < 4; n += 1) await node.engine.submit("sleep", { ms: 5_000 });
    await node.engine.submit("sleep", {}, { id: "waiting" });
    await world.settle();
    const report = node.engine.stop();
    await world.clock.advance(5_001);
    expect(await report).toEqual({ finished: 4, released: 0, abandoned: 0 });
    const next = await world.started({ tasks: [world.sleeper()] });
    expect(await next.engine.result("waiting")).toEqual({ slept: 0 });
    await next.engine.stop();
  });

  it("releases what it has to abort: no retry used, due now, at its place, and reports what went on", async () => {
    const world = new World();
    const deaf = world.type("deaf", forever);
    const node = await world.started({ tasks: [world.sleeper(), deaf], queues: { default: { slots: 3, burst: 3 } } });
    await node.engine.submit("sleep", { ms: 60_000 }, { id: "heeds", weight: 4 });
    await node.engine.submit("deaf", {}, { id: "deaf", weight: 4 });
    await world.settle();
    const report = node.engine.stop({ timeout: "10s" });
    await world.clock.advance(10_001);
    expect(await report).toEqual({ finished: 0, released: 2, abandoned: 1 });
    const reader = world.node({ tasks: [] });
    await reader.engine.open();
    for (const id of ["heeds", "deaf"]) {
      const task = await reader.engine.get(id);
      expect(task).toMatchObject({ state: "waiting", retries: 0, lastOutcome: "released" });
      expect(new Date(task!.dueAt).getTime()).toBeLessThanOrEqual(world.clock.now());
    }
    await reader.engine.stop();
  });

  it("gives back what was prefetched, as if it had never been claimed", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    for (let n = 0; n < 400; n += 1) await node.engine.submit("sleep", { ms: 10 }, { id: `t${n}` });
    await world.clock.advance(300);
    const started = new Set(world.starts);
    const report = node.engine.stop();
    await world.clock.advance(100);
    await report;
    const reader = world.node({ tasks: [] });
    await reader.engine.open();
    const { items } = await reader.engine.find({ limit: 1000 });
    expect(items).toHaveLength(400);
    for (const task of items) {
      if (started.has(task.id)) expect(task.state).toBe("succeeded");
      else expect(task).toMatchObject({ state: "waiting", attempt: 0, retries: 0, lastOutcome: null });
    }
    await reader.engine.stop();
  });

  it("V-03: keeps its lease as long as it drains", async () => {
    const world = new World();
    const lease = { lease: 5_000, beat: 1_000, poll: 1_000 };
    const one = await world.started({ tasks: [world.sleeper()] }, lease);
    const other = await world.started({ tasks: [world.sleeper()] }, lease);
    await one.engine.submit("sleep", { ms: 20_000 }, { id: "long" });
    await world.settle();
    const report = one.engine.stop({ timeout: "30s" });
    await world.clock.advance(21_000);
    expect(await report).toEqual({ finished: 1, released: 0, abandoned: 0 });
    expect(world.starts).toEqual(["long"]);
    expect(other.eventsOf("long")).toEqual([]);
    expect(await other.engine.get("long")).toMatchObject({ state: "succeeded", attempt: 1 });
    await other.engine.stop();
  });

  it("takes a second call as it is meant: with a limit it hurries, without one it joins", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.type("deaf", forever)] });
    await node.engine.submit("deaf", {});
    await world.settle();
    const first = node.engine.stop({ timeout: "25s" });
    await world.clock.advance(1_000);
    const joined = node.engine.stop();
    const hurried = node.engine.stop({ timeout: 0 });
    await world.settle();
    const report = { finished: 0, released: 1, abandoned: 1 };
    expect(await Promise.all([first, joined, hurried])).toEqual([report, report, report]);
    expect(await node.engine.stop()).toEqual(report);
  });

  it("can be called in every phase", async () => {
    const nothing = { finished: 0, released: 0, abandoned: 0 };
    const fresh = new World().node({ tasks: [] });
    expect(await fresh.engine.stop()).toEqual(nothing);
    await expect(fresh.engine.start()).rejects.toMatchObject({ code: "stopped" });

    const opened = new World().node({ tasks: [] });
    await opened.engine.open();
    expect(await opened.engine.stop()).toEqual(nothing);
    await expect(opened.engine.submit("x", {})).rejects.toMatchObject({ code: "stopped" });

    const world = new World();
    const starting = world.node({ tasks: [world.sleeper()] });
    starting.link.hold("nodes");
    const start = starting.engine.start();
    const failed = expect(start).rejects.toMatchObject({ code: "stopped" });
    await world.settle();
    const stop = starting.engine.stop();
    starting.link.release();
    await failed;
    expect(await stop).toEqual(nothing);
    expect(world.clock.timers).toBe(0);

    const used = await new World().started({ tasks: [] });
    await used.engine[Symbol.asyncDispose]();
    expect(used.engine.health()).toEqual({ live: true, ready: false, reasons: ["stopped"] });
  });

  it("refuses calls before it is open", async () => {
    const { engine } = new World().node({ tasks: [] });
    await expect(engine.submit("x", {})).rejects.toMatchObject({ code: "not_started" });
    await expect(engine.get("x")).rejects.toMatchObject({ code: "not_started" });
  });

  it("hands back a hand-off and a claim whose answers come after the call", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    node.link.hold("insert");
    const submitted = node.engine.submit("sleep", {}, { id: "handed" });
    await world.settle();
    const report = node.engine.stop();
    await world.settle();
    node.link.release();
    await submitted;
    expect(await report).toEqual({ finished: 0, released: 0, abandoned: 0 });
    expect(world.starts).toEqual([]);

    const next = world.node({ tasks: [world.sleeper()] });
    next.link.hold("claim");
    await next.engine.start();
    await world.settle();
    const stopped = next.engine.stop();
    await world.settle();
    next.link.release();
    expect(await stopped).toEqual({ finished: 0, released: 0, abandoned: 0 });
    expect(world.starts).toEqual([]);

    const reader = world.node({ tasks: [] });
    await reader.engine.open();
    expect(await reader.engine.get("handed")).toMatchObject({ state: "waiting", attempt: 0, view: "waiting" });
    expect(await reader.engine.nodes()).toEqual([]);
    await reader.engine.stop();
  });

  it("ends although the ledger takes nothing any more, and says what that means", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    await node.engine.submit("sleep", { ms: 1_000 });
    await world.settle();
    node.link.refuse("settle", "ledger_busy");
    const report = node.engine.stop({ timeout: "5s" });
    await world.clock.advance(7_000);
    expect(await report).toMatchObject({ abandoned: 0 });
    expect(node.logger.seen.some(({ fields }) => fields["event"] === "stopped_unflushed")).toBe(true);
    expect(world.clock.timers).toBe(0);
  });

  it("rejects whoever still waits for a result, and ends streams of events", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    const { task } = await node.engine.submit("sleep", {}, { delay: "1h" });
    const result = expect(node.engine.result(task.id)).rejects.toMatchObject({ code: "stopped" });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { kind } of node.engine.events()) seen.push(kind);
    })();
    await world.settle();
    await node.engine.stop();
    await result;
    await reading;
    expect(seen).toEqual([]);
  });
});

describe("drain", () => {
  it("waits until nothing startable and nothing running is left", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    for (let n = 0; n < 100; n += 1) await node.engine.submit("sleep", { ms: 10 });
    await node.engine.submit("sleep", {}, { delay: "1d" });
    let drained = false;
    const drain = node.engine.drain().then(() => {
      drained = true;
    });
    await world.clock.advance(50);
    expect(drained).toBe(false);
    await world.clock.advance(1_000);
    expect(drained).toBe(true);
    await drain;
    expect(world.starts).toHaveLength(100);
    await world.stop(node);
  });

  it("ends with the failure where the ledger is lost", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    await node.engine.submit("sleep", { ms: 1_000 });
    const drain = expect(node.engine.drain()).rejects.toThrow("sync failed");
    node.link.breakDown(new Error("sync failed"));
    await world.clock.advance(10);
    await drain;
    await node.engine.stop({ timeout: 0 });
  });
});
