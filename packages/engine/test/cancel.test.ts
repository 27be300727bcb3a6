import { seededRandom } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { forever, World } from "./support/world.ts";

describe("cancel", () => {
  it("tells a running handler at once; slot and permit stay until it settles", async () => {
    const world = new World();
    const reasons: unknown[] = [];
    const polite = world.type("polite", async (_, ctx) => {
      await world.clock.sleep(60_000, ctx.signal).catch((reason: { code: string }) => reasons.push(reason.code));
      await world.clock.sleep(1_000);
    });
    const node = await world.started({ tasks: [polite], queues: { default: { slots: 1, burst: 1 } } });
    await node.engine.submit("polite", {}, { id: "a" });
    await node.engine.submit("polite", {}, { id: "b" });
    await world.settle();
    const view = await node.engine.cancel("a");
    expect(view).toMatchObject({ state: "cancelled", settling: true });
    await world.settle();
    expect(reasons).toEqual(["task_cancelled"]);
    expect(node.engine.slots()).toMatchObject([{ task: "a", settling: true }]);
    expect(world.starts).toEqual(["a"]);
    await world.clock.advance(1_000);
    expect(world.starts).toEqual(["a", "b"]);
    expect(await node.engine.get("a")).toMatchObject({ state: "cancelled", settling: false });
    expect(node.eventsOf("a")).toEqual(["submitted", "started", "cancelled"]);
    await node.engine.stop({ timeout: 0 });
  });

  it("gives the slot back after the grace where the handler goes on", async () => {
    const world = new World();
    const node = await world.started({
      tasks: [world.type("deaf", forever), world.sleeper()],
      queues: { default: { slots: 1, burst: 1 } },
    });
    await node.engine.submit("deaf", {}, { id: "deaf" });
    await node.engine.submit("sleep", {}, { id: "next" });
    await world.settle();
    await node.engine.cancel("deaf");
    await world.clock.advance(4_999);
    expect(world.starts).toEqual(["deaf"]);
    await world.clock.advance(1);
    expect(world.starts).toEqual(["deaf", "next"]);
    expect(node.engine.slots()).toMatchObject([{ kind: "zombie", task: "deaf" }]);
    expect((await node.engine.get("deaf"))?.state).toBe("cancelled");
    await node.engine.stop({ timeout: 0 });
  });

  it("reaches a handler on another node with its next beat", async () => {
    const world = new World();
    const lease = { lease: 15_000, beat: 3_000, poll: 1_000 };
    const runner = await world.started({ tasks: [world.sleeper()] }, lease);
    await runner.engine.submit("sleep", { ms: 60_000 }, { id: "far" });
    await world.settle();
    const other = world.node({ tasks: [] }, lease);
    await other.engine.open();
    expect((await other.engine.cancel("far")).state).toBe("cancelled");
    await world.clock.advance(3_000);
    expect(runner.engine.slots()).toEqual([]);
    expect(await other.engine.get("far")).toMatchObject({ state: "cancelled", attempt: 1 });
    await world.clock.advance(60_000);
    expect(world.starts).toEqual(["far"]);
    await world.stop(runner);
    await world.stop(other);
  });

  it("V-11: reply and final state agree at 500 random moments around the end, with one terminal event each", async () => {
    const world = new World();
    const random = seededRandom(11);
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 8, burst: 8 } } });
    const terminal = new Map<string, string[]>();
    node.engine.subscribe(({ kind, task }) => {
      if (task !== null && ["succeeded", "cancelled", "dead"].includes(kind)) {
        terminal.set(task, [...(terminal.get(task) ?? []), kind]);
      }
    });
    const kinds = new Set<string>();
    for (let round = 0; round < 500; round += 1) {
      const id = `c${round}`;
      await node.engine.submit("sleep", { ms: 20 }, { id });
      const away = Math.floor(random() * 5) - 2;
      await world.clock.advance(20 + away);
      // Some cancels race the finish within one turn of the event loop.
      if (random() < 0.5) world.clock.setImmediate(() => undefined);
      const reply = await node.engine.cancel(id).then(
        ({ state }) => state,
        (error: { code: string }) => error.code,
      );
      await world.clock.advance(30);
      const final = await node.engine.get(id);
      if (reply === "cancelled") expect(final?.state).toBe("cancelled");
      else {
        expect(reply).toBe("wrong_state");
        expect(final?.state).toBe("succeeded");
      }
      expect(final?.attempt).toBe(1);
      expect(terminal.get(id)).toEqual([final?.state]);
      kinds.add(String(final?.state));
    }
    expect([...kinds].sort()).toEqual(["cancelled", "succeeded"]);
    await world.stop(node);
  });

  it("V-11: a cancel that is written first wins over a finish under way", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    await node.engine.submit("sleep", { ms: 10 }, { id: "raced" });
    node.link.hold("settle");
    await world.clock.advance(20);
    const reply = await node.engine.cancel("raced");
    node.link.release();
    await world.settle();
    expect(reply.state).toBe("cancelled");
    expect((await node.engine.get("raced"))?.state).toBe("cancelled");
    expect(node.eventsOf("raced")).toEqual(["submitted", "started", "cancelled", "late_answer"]);
    await world.stop(node);
  });

  it("takes a prefetched task out of the window, started or not", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 1, burst: 1 } } });
    for (let n = 0; n < 400; n += 1) await node.engine.submit("sleep", { ms: 5 }, { id: `t${n}` });
    await world.clock.advance(400);
    const dispatched = (await node.engine.find({ state: "dispatched", limit: 1000 })).items;
    expect(dispatched.length).toBeGreaterThan(4);
    const victim = dispatched[0]!.id;
    await node.engine.cancel(victim);
    await world.clock.advance(4_000);
    expect(world.starts).not.toContain(victim);
    expect(world.starts).toHaveLength(399);
    expect((await node.engine.get(victim))?.state).toBe("cancelled");
    await world.stop(node);
  });
});

describe("reweight", () => {
  it("acts at once on what lies in the window and on what runs", async () => {
    const world = new World();
    const weights: number[] = [];
    const watch = world.type("watch", async (_, ctx) => {
      weights.push(ctx.weight);
      await world.clock.sleep(100);
      weights.push(ctx.weight);
    });
    const node = await world.started({ tasks: [watch, world.sleeper()], queues: { default: { slots: 1, burst: 1 } } });
    await node.engine.submit("watch", {}, { id: "w", weight: 3 });
    await world.settle();
    await node.engine.reweight("w", 6);
    await world.clock.advance(100);
    expect(weights).toEqual([3, 6]);
    for (let n = 0; n < 300; n += 1) await node.engine.submit("sleep", { ms: 5 }, { id: `t${n}`, weight: 4 });
    await world.clock.advance(400);
    const last = (await node.engine.find({ state: "dispatched", limit: 1000 })).items[0]!.id;
    const from = world.starts.length;
    await node.engine.reweight(last, 6);
    await world.clock.advance(20);
    expect(world.starts.slice(from, from + 2)).toContain(last);
    const express = (await node.engine.find({ state: "dispatched", limit: 1000 })).items[0]!.id;
    const then = world.starts.length;
    await node.engine.reweight(express, 9);
    await world.clock.advance(20);
    expect(world.starts.slice(then, then + 3)).toContain(express);
    await node.engine.stop({ timeout: 0 });
  });
});
