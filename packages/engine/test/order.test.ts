import { overtakenUntil } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { type Node, World } from "./support/world.ts";

const one = { default: { slots: 1, burst: 1 } };

async function breaches(node: Node, queue = "default") {
  const { bounds } = await node.engine.queue(queue);
  return { order: bounds.order.breaches, share: bounds.share.breaches };
}

describe("order", () => {
  it("is highest weight first, first in first out within one (A2)", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: one });
    await node.engine.submit("sleep", { ms: 100 }, { id: "running" });
    for (const [id, weight] of [
      ["c1", 3],
      ["b1", 5],
      ["a1", 6],
      ["b2", 5],
      ["a2", 6],
      ["c2", 3],
    ] as const) {
      await node.engine.submit("sleep", { ms: 1 }, { id, weight });
    }
    await world.clock.advance(200);
    expect(world.starts).toEqual(["running", "a1", "a2", "b1", "b2", "c1", "c2"]);
    expect(await breaches(node)).toEqual({ order: 0, share: 0 });
    await world.stop(node);
  });

  it("lets nobody pass a submit under way by a straight hand-off", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: one });
    await node.engine.submit("sleep", { ms: 50 }, { id: "running" });
    node.link.hold("insert");
    const first = node.engine.submit("sleep", { ms: 10 }, { id: "first" });
    await world.clock.advance(60);
    const second = node.engine.submit("sleep", { ms: 10 }, { id: "second" });
    await world.settle();
    node.link.release();
    await Promise.all([first, second]);
    await world.clock.advance(100);
    expect(world.starts).toEqual(["running", "first", "second"]);
    await world.stop(node);
  });

  it("ages standard work up to 6 and keeps the lanes apart (A4, B5)", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: one });
    await node.engine.submit("sleep", { ms: 16_000 }, { id: "running" });
    await node.engine.submit("sleep", { ms: 1 }, { id: "low", weight: 2 });
    await world.clock.advance(15_500);
    await node.engine.submit("sleep", { ms: 1 }, { id: "young", weight: 5 });
    await node.engine.submit("sleep", { ms: 1 }, { id: "younger", weight: 6 });
    await world.clock.advance(600);
    // After 15 s the low one counts 5 and came first.
    expect(world.starts).toEqual(["running", "younger", "low", "young"]);
    await world.stop(node);
  });

  it("V-09: ready is ready, however it became so", async () => {
    for (const way of ["by hand", "by time", "from retry"] as const) {
      const world = new World();
      let failed = false;
      const high = world.type("high", () => {
        if (way !== "from retry" || failed) return "done";
        failed = true;
        throw new Error("once");
      });
      const node = await world.started({
        tasks: [world.sleeper("medium"), { ...high, retry: { delays: ["2s"] } }],
        queues: { default: { slots: 1, burst: 1, policy: "strict" } },
      });
      const base = world.clock.now();
      const delay = way === "from retry" ? 0 : way === "by time" ? 3_000 : 3_600_000;
      await node.engine.submit("high", {}, { id: "high", weight: 9, delay });
      for (let n = 0; n < 100; n += 1) await node.engine.submit("medium", { ms: 100 }, { id: `m${n}`, weight: 5 });
      await world.clock.advance(1_000);
      const from = world.starts.length;
      if (way === "by hand") await node.engine.edit("high", { delay: 0 });
      await world.clock.advance(2_500);
      const startedAt = new Date((await node.engine.get("high"))!.startedAt!).getTime();
      const readyAt = way === "by hand" ? base + 1_000 : way === "by time" ? base + 3_000 : base + 2_000;
      // The very next start once it was ready: one of 100 ms ran.
      expect(startedAt - readyAt, way).toBeGreaterThanOrEqual(0);
      expect(startedAt - readyAt, way).toBeLessThanOrEqual(way === "from retry" ? 300 : 100);
      if (way === "by hand") expect(world.starts[from]).toBe("high");
      await world.stop(node);
    }
  });

  it("is untouched by a paused or unknown type in front", async () => {
    const world = new World();
    const client = world.node({ tasks: [], allowUnknownTypes: true });
    await client.engine.open();
    const node = await world.started({ tasks: [world.sleeper("paused"), world.sleeper()], queues: one });
    await node.engine.pause({ type: "paused" });
    for (let n = 0; n < 50; n += 1) {
      await client.engine.submit("unknown", {}, { weight: 10 });
      await node.engine.submit("paused", {}, { weight: 10 });
    }
    const { task } = await node.engine.submit("sleep", {}, { weight: 1 });
    await world.clock.advance(3_000);
    expect((await node.engine.get(task.id))?.state).toBe("succeeded");
    expect(world.starts).toEqual([task.id]);
    const rest = await node.engine.find({ type: "unknown", limit: 100 });
    expect(rest.items.every(({ state, attempt }) => state === "waiting" && attempt === 0)).toBe(true);
    await node.engine.resume({ type: "paused" });
    await world.clock.advance(1_000);
    expect(world.starts).toHaveLength(51);
    await world.stop(node);
    await world.stop(client);
  });
});

describe("slots, burst and share (A6, B10)", () => {
  it("gives express its cap of the base and the burst slots while standard work waits", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 4, burst: 8 } } });
    await node.engine.pause({ queue: "default" });
    for (let n = 0; n < 20; n += 1) {
      await node.engine.submit("sleep", { ms: 1_000 }, { id: `e${n}`, weight: 8 });
      await node.engine.submit("sleep", { ms: 1_000 }, { id: `s${n}`, weight: 5 });
    }
    await node.engine.resume({ queue: "default" });
    await world.settle();
    const kinds = node.engine.slots().map(({ kind, weight }) => `${kind} ${weight}`);
    const count = (kind: string): number => kinds.filter((each) => each === kind).length;
    // cap = floor(70 % of 4) = 2
    expect([count("base 8"), count("base 5"), count("burst 8"), count("burst 5")]).toEqual([2, 2, 4, 0]);
    await world.clock.advance(20_000);
    expect(world.starts).toHaveLength(40);
    expect(await breaches(node)).toEqual({ order: 0, share: 0 });
    await world.stop(node);
  });

  it("lets express use all while no standard work waits, and gives the next free slots to standard", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 4, burst: 4 } } });
    for (let n = 0; n < 8; n += 1)
      await node.engine.submit("sleep", { ms: 1_000 + n * 100 }, { id: `e${n}`, weight: 8 });
    await world.settle();
    expect(world.starts).toEqual(["e0", "e1", "e2", "e3"]);
    for (let n = 0; n < 4; n += 1) await node.engine.submit("sleep", { ms: 10_000 }, { id: `s${n}`, weight: 5 });
    await world.clock.advance(1_150);
    // Two express tasks ended; above the cap of 2 the slots are standard's.
    expect(world.starts.slice(4)).toEqual(["s0", "s1"]);
    await world.clock.advance(100);
    expect(world.starts.slice(6)).toEqual(["e4"]);
    expect(await breaches(node)).toEqual({ order: 0, share: 0 });
    await node.engine.stop({ timeout: 0 });
  });

  it("gives standard three of ten starts on one slot", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: one });
    await node.engine.pause({ queue: "default" });
    for (let n = 0; n < 60; n += 1) {
      await node.engine.submit("sleep", { ms: 10 }, { id: `e${n}`, weight: 9 });
      await node.engine.submit("sleep", { ms: 10 }, { id: `s${n}`, weight: 2 });
    }
    await node.engine.resume({ queue: "default" });
    await world.clock.advance(500);
    const lanes = world.starts.slice(0, 50).map((id) => id[0]);
    for (let from = 0; from + 10 <= lanes.length; from += 1) {
      expect(lanes.slice(from, from + 10).filter((lane) => lane === "s")).toHaveLength(3);
    }
    expect(await breaches(node)).toEqual({ order: 0, share: 0 });
    await node.engine.stop({ timeout: 0 });
  });

  it("serves ten to one under rotation", async () => {
    const world = new World();
    const queues = { default: { slots: 2, burst: 2, policy: "rotation" } } as const;
    const node = await world.started({ tasks: [world.sleeper()], queues });
    await node.engine.pause({ queue: "default" });
    for (let n = 0; n < 80; n += 1) {
      await node.engine.submit("sleep", { ms: 10 }, { id: `e${n}`, weight: 9 });
      await node.engine.submit("sleep", { ms: 10 }, { id: `s${n}`, weight: 2 });
    }
    await node.engine.resume({ queue: "default" });
    await world.clock.advance(400);
    const lanes = world.starts.slice(0, 66).map((id) => id[0]);
    expect(lanes.filter((lane) => lane === "s")).toHaveLength(6);
    expect(await breaches(node)).toEqual({ order: 0, share: 0 });
    await node.engine.stop({ timeout: 0 });
  });

  it("keeps an own part for each class under isolation", async () => {
    const world = new World();
    const queues = { default: { slots: 4, burst: 4, policy: "isolated" } } as const;
    const node = await world.started({ tasks: [world.sleeper()], queues });
    for (let n = 0; n < 6; n += 1) await node.engine.submit("sleep", { ms: 1_000 }, { id: `s${n}`, weight: 5 });
    await world.settle();
    expect(world.starts).toEqual(["s0", "s1"]);
    for (let n = 0; n < 3; n += 1) await node.engine.submit("sleep", { ms: 1_000 }, { id: `e${n}`, weight: 8 });
    await world.settle();
    expect(world.starts.slice(2)).toEqual(["e0", "e1"]);
    await node.engine.stop({ timeout: 0 });
  });

  it("climbs the ladder of article A: low is critical after 15 s", async () => {
    const world = new World();
    const queues = { default: { slots: 1, burst: 1, policy: "ladder" } } as const;
    const node = await world.started({ tasks: [world.sleeper()], queues });
    await node.engine.submit("sleep", { ms: 15_500 }, { id: "running" });
    await node.engine.submit("sleep", { ms: 1 }, { id: "low", weight: "low" });
    await world.clock.advance(15_200);
    await node.engine.submit("sleep", { ms: 1 }, { id: "critical", weight: "critical" });
    await world.clock.advance(400);
    expect(world.starts).toEqual(["running", "low", "critical"]);
    expect(await breaches(node)).toEqual({ order: 0, share: 0 });
    await world.stop(node);
  });
});

describe("V-08: low priority gets its turn", () => {
  const settings = [
    { name: "the defaults", steps: {}, low: 2, urgent: 6, bound: 20_000 },
    { name: "slow steps", steps: { standard: "1m" }, low: 1, urgent: 6, bound: 300_000 },
    { name: "express", steps: { express: "10s" }, low: 7, urgent: 10, bound: 30_000 },
  ] as const;

  it.each(settings)(
    "within the bound of $name, under two hours of urgent work at the full rate",
    { timeout: 180_000 },
    async (setting) => {
      const world = new World();
      const queues = { default: { slots: 1, burst: 1, steps: setting.steps } };
      const node = await world.started({ tasks: [world.sleeper()], queues });
      const startedAt = new Map<string, number>();
      node.engine.subscribe(({ kind, task }) => {
        if (kind === "started" && task !== null) startedAt.set(task, world.clock.monotonic());
      });
      const service = 1_000;
      await node.engine.submit("sleep", { ms: service }, { weight: setting.urgent });
      const since = world.clock.monotonic();
      await node.engine.submit("sleep", { ms: service }, { id: "low", weight: setting.low });
      for (let second = 0; second < 7_200; second += 1) {
        await node.engine.submit("sleep", { ms: service }, { weight: setting.urgent });
        await world.clock.advance(service);
      }
      const waited = (startedAt.get("low") ?? Number.POSITIVE_INFINITY) - since;
      const ceiling = setting.low >= 7 ? 10 : 6;
      const step = setting.bound / (ceiling - setting.low);
      expect(overtakenUntil({ kind: "aged", step, ceiling }, setting.low, 0)).toBe(setting.bound);
      // What became ready within the bound may go first: one task a second, and the one that ran.
      expect(waited).toBeLessThanOrEqual(setting.bound + 2 * service);
      expect(waited).toBeGreaterThan(setting.bound - 2 * service);
      expect(startedAt.size).toBeGreaterThan(7_190);
      expect(await breaches(node)).toEqual({ order: 0, share: 0 });
      await node.engine.stop({ timeout: 0 });
    },
  );
});

describe("type bounds (C15)", () => {
  it("let no type fill a queue that serves several, and block nobody else", async () => {
    const world = new World();
    const node = await world.started({
      tasks: [world.sleeper("slow"), world.sleeper("fast")],
      queues: { default: { slots: 4, burst: 4 } },
    });
    for (let n = 0; n < 20; n += 1) await node.engine.submit("slow", { ms: 60_000 }, { id: `slow${n}`, weight: 6 });
    for (let n = 0; n < 20; n += 1) await node.engine.submit("fast", { ms: 10 }, { id: `fast${n}`, weight: 1 });
    await world.clock.advance(500);
    const slots = node.engine.slots().map(({ type }) => type);
    expect(slots).toEqual(["slow", "slow", "slow"]);
    expect(world.starts.filter((id) => id.startsWith("fast"))).toHaveLength(20);
    await node.engine.stop({ timeout: 0 });
  });

  it("stated bounds hold over all nodes of the ledger", async () => {
    const world = new World();
    let running = 0;
    let most = 0;
    const bounded = world.type(
      "bounded",
      async () => {
        running += 1;
        most = Math.max(most, running);
        await world.clock.sleep(50);
        running -= 1;
      },
      { concurrency: 3 },
    );
    const nodes = [];
    for (let n = 0; n < 3; n += 1) nodes.push(await world.started({ tasks: [bounded, world.sleeper()] }));
    for (let n = 0; n < 60; n += 1) await nodes[n % 3]!.engine.submit("bounded", {}, { id: `b${n}` });
    await world.clock.advance(30_000);
    expect(world.starts).toHaveLength(60);
    expect(most).toBe(3);
    for (const { engine } of nodes) await world.stop({ engine });
  });
});
