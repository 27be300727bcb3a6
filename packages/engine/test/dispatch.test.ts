import { describe, expect, it } from "vitest";
import { type Node, World } from "./support/world.ts";

const DAY = 86_400_000;
const lease = { lease: 15_000, beat: 3_000, poll: 1_000 };

const claims = (node: Node): number => node.link.calls.get("claim") ?? 0;

describe("the straight hand-off", () => {
  it("starts a task with its insert, where the last claim came back short and nothing woke the queue since", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    await world.settle();
    const before = claims(node);
    await node.engine.submit("sleep", { ms: 10 }, { id: "a" });
    expect(world.starts).toEqual(["a"]);
    expect(claims(node)).toBe(before);
    expect(await node.engine.get("a")).toMatchObject({ state: "running", view: "running", attempt: 1 });
    await world.stop(node);
  });

  it("is not taken while anything may wait: the queue was woken, a claim is under way, the queue is paused, the type is full", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper(), world.sleeper("bounded", { concurrency: 1 })] }, lease);
    const client = world.node({ tasks: [world.sleeper()] }, lease);
    await client.engine.open();
    await world.settle();
    const handedOff = async (act: () => Promise<unknown>): Promise<boolean> => {
      const { length } = node.link.asked("insert");
      await act();
      const [batch] = node.link.asked("insert")[length] as [{ handOff: unknown }[]];
      return batch[0]!.handOff !== null;
    };
    expect(await handedOff(() => node.engine.submit("sleep", { ms: 1 }))).toBe(true);
    await world.clock.advance(10);

    node.link.hold("claim");
    await client.engine.submit("sleep", { ms: 1 });
    await world.settle();
    const behind = handedOff(() => node.engine.submit("sleep", { ms: 1 }));
    await world.settle();
    node.link.release();
    expect(await behind).toBe(false);
    await world.clock.advance(10);

    await node.engine.pause({ queue: "default" });
    expect(await handedOff(() => node.engine.submit("sleep", { ms: 1 }))).toBe(false);
    await node.engine.resume({ queue: "default" });
    await world.clock.advance(10);
    expect(await handedOff(() => node.engine.submit("bounded", { ms: 1 }))).toBe(false);
    await world.clock.advance(2_000);
    expect(world.starts).toHaveLength(5);
    await world.stop(node);
    await world.stop(client);
  });

  it("gives the slot back where the id was known", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 1, burst: 1 } } });
    await node.engine.submit("sleep", {}, { id: "a" });
    await world.settle();
    for (let n = 0; n < 5; n += 1) expect((await node.engine.submit("sleep", {}, { id: "a" })).created).toBe(false);
    await node.engine.submit("sleep", {}, { id: "b" });
    await world.settle();
    expect(world.starts).toEqual(["a", "b"]);
    await world.stop(node);
  });
});

describe("claims", () => {
  it("are not asked while nothing changed: an idle node arms beat, poll and upkeep, and calls nothing else (B9)", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, { poll: 0, beat: 60_000, lease: 600_000 });
    await node.engine.submit("sleep", {}, { delay: "1d" });
    await world.clock.advance(100);
    const before = new Map(node.link.calls);
    await world.clock.advance(3_600_000);
    const made = [...node.link.calls].flatMap(([call, count]) => (count === before.get(call) ? [] : [call]));
    expect(made.sort()).toEqual(["beat", "nodes", "prune"]);
    expect(world.clock.timers).toBe(1);
    await world.stop(node);
  });

  it("V-14: due tasks start although every wake-up is swallowed", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, lease);
    const client = world.node({ tasks: [world.sleeper()] }, lease);
    await client.engine.open();
    node.link.deafen();
    const due = new Map<string, number>();
    for (let n = 1; n <= 20; n += 1) {
      await client.engine.submit("sleep", {}, { id: `t${n}`, delay: n * 777 });
      due.set(`t${n}`, world.clock.now() + n * 777);
    }
    await world.clock.advance(30_000);
    expect(world.starts).toHaveLength(20);
    for (const [id, at] of due) {
      const late = new Date((await node.engine.get(id))!.startedAt!).getTime() - at;
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(1_000 * 1.1 + 1_000);
    }
    await world.stop(node);
    await world.stop(client);
  });

  it("wake at once when another process submits (B9)", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, lease);
    const client = world.node({ tasks: [world.sleeper()] }, lease);
    await client.engine.open();
    await world.clock.advance(50);
    await client.engine.submit("sleep", {}, { id: "far" });
    await world.settle();
    expect(world.starts).toEqual(["far"]);
    await world.stop(node);
    await world.stop(client);
  });

  it("start what falls due within its very ms, in order", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 1, burst: 1 } } });
    const at: number[] = [];
    node.engine.subscribe(({ kind }) => {
      if (kind === "started") at.push(world.clock.monotonic());
    });
    const base = world.clock.monotonic();
    for (const delay of [5_000, 250, 61_000, 250, 3_600_000]) await node.engine.submit("sleep", {}, { delay });
    await world.clock.advance(3_700_000);
    expect(at.map((moment) => moment - base)).toEqual([250, 250, 5_000, 61_000, 3_600_000]);
    await world.stop(node);
  });

  it("miss nothing that falls due while a claim is under way", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, { poll: 0 });
    await node.engine.submit("sleep", {}, { id: "first", delay: 100 });
    await node.engine.submit("sleep", {}, { id: "second", delay: 105 });
    await world.clock.advance(50);
    node.link.slowDown("claim", async () => world.clock.sleep(10));
    await world.clock.advance(60);
    expect(world.starts).toEqual(["first"]);
    await world.clock.advance(15);
    expect(world.starts).toEqual(["first", "second"]);
    await world.stop(node);
  });

  it("V-13: long delays start neither early nor late, in sleeps of a minute at most", async () => {
    const world = new World();
    let release: (answer: string) => void = () => undefined;
    const long = world.type("long", () => new Promise<string>((resolve) => (release = resolve)), { timeout: "30d" });
    const rare = { poll: 0, beat: DAY, lease: 10 * DAY };
    const node = await world.started({ tasks: [world.sleeper(), long] }, rare);
    const startedAt = new Map<string, number>();
    node.engine.subscribe(({ kind, task }) => {
      if (kind === "started" && task !== null) startedAt.set(task, world.clock.now());
    });
    const base = world.clock.now();
    for (const days of [24, 25, 50]) await node.engine.submit("sleep", {}, { id: `d${days}`, delay: `${days}d` });
    await node.engine.submit("sleep", {}, { id: "d400", delay: "400d" });
    await node.engine.submit("long", {}, { id: "long" });
    expect(world.starts).toEqual(["long"]);
    await world.clock.advance(29 * DAY);
    expect((await node.engine.get("long"))?.state).toBe("running");
    release("done");
    await world.settle();
    expect((await node.engine.get("long"))?.result).toBe("done");
    await world.clock.advance(22 * DAY);
    for (const days of [24, 25, 50]) expect(startedAt.get(`d${days}`)).toBe(base + days * DAY);
    expect(startedAt.has("d400")).toBe(false);
    expect(world.clock.longestSleep).toBeLessThanOrEqual(60_000);
    await world.stop(node);
  }, 60_000);

  it("follow the wall clock when it jumps, ahead and back", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, lease);
    await node.engine.submit("sleep", {}, { id: "soon", delay: "1h" });
    await node.engine.submit("sleep", {}, { id: "late", delay: "3h" });
    world.clock.jump(2 * 3_600_000);
    await world.clock.advance(1_200);
    expect(world.starts).toEqual(["soon"]);
    world.clock.jump(-2 * 3_600_000);
    await world.clock.advance(2 * 3_600_000);
    expect(world.starts).toEqual(["soon"]);
    await world.clock.advance(3_600_000);
    expect(world.starts).toEqual(["soon", "late"]);
    await world.stop(node);
  });

  it("are repeated with growing pauses where the ledger has work that can't be taken", async () => {
    const world = new World();
    const node = world.node({ tasks: [world.sleeper()] }, { poll: 0 });
    const empty = {
      tasks: [],
      left: { express: false, standard: true },
      full: [],
      overtakenUntil: { express: null, standard: null },
      nextDueAt: null,
    };
    node.link.answer("claim", empty);
    await node.engine.start();
    await world.clock.advance(10_000);
    const calls = claims(node);
    expect(calls).toBeGreaterThan(5);
    expect(calls).toBeLessThan(30);
    await world.stop(node);
  });
});

describe("prefetch", () => {
  async function draining() {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 2, burst: 2 } } });
    for (let n = 0; n < 1_000; n += 1) await node.engine.submit("sleep", { ms: n < 200 ? 4 : 60_000 }, { id: `t${n}` });
    await world.clock.advance(395);
    return { world, node };
  }

  it("takes what starts in 100 ms at the measured pace, beyond the free slots", async () => {
    const { world, node } = await draining();
    const { items } = await node.engine.find({ state: "dispatched", limit: 1000 });
    // Two slots at 4 ms each: 500 a second.
    expect(items.length).toBeGreaterThan(20);
    expect(items.length).toBeLessThan(75);
    expect(new Set(world.starts).size).toBe(world.starts.length);
    await node.engine.stop({ timeout: 0 });
  });

  it("records the start of what runs on, and of nothing that ended before that", async () => {
    const { world, node } = await draining();
    await world.clock.advance(100);
    const running = await node.engine.find({ state: "running", limit: 1000 });
    const started = running.items.filter(({ view }) => view === "running");
    expect(started).toHaveLength(2);
    for (const { attempt, startedAt } of started) expect([attempt, startedAt === null]).toEqual([1, false]);
    const marked = node.link.asked("markStarted").flatMap(([batch]) => batch as { readonly attempt: number }[]);
    // Handlers of 4 ms run for a turn or more; each start is recorded at most once.
    expect(marked.length).toBeLessThanOrEqual(202);
    const done = (await node.engine.find({ state: "succeeded", limit: 1000 })).items;
    expect(done).toHaveLength(200);
    for (const { attempt, startedAt } of done) expect([attempt, startedAt === null]).toEqual([1, false]);
    await node.engine.stop({ timeout: 0 });
  });

  it("gives back after 1 s what did not start, at its place and without a trace", async () => {
    const { world, node } = await draining();
    await world.clock.advance(1_200);
    expect((await node.engine.find({ state: "dispatched" })).items).toEqual([]);
    const { items } = await node.engine.find({ state: "waiting", limit: 1000 });
    for (const task of items) expect(task).toMatchObject({ attempt: 0, retries: 0, lastOutcome: null });
    const next = (await node.engine.next("default", 5)).map(({ id }) => id);
    const started = world.starts.length;
    expect(next).toEqual([0, 1, 2, 3, 4].map((n) => `t${started + n}`));
    await node.engine.stop({ timeout: 0 });
  });

  it("lets a heavier newcomer pass what lies in the window", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 2, burst: 2 } } });
    for (let n = 0; n < 1_000; n += 1) await node.engine.submit("sleep", { ms: 4 }, { id: `t${n}` });
    await world.clock.advance(400);
    const from = world.starts.length;
    await node.engine.submit("sleep", { ms: 4 }, { id: "urgent", weight: 9 });
    await node.engine.submit("sleep", { ms: 4 }, { id: "heavier", weight: 6 });
    await world.clock.advance(30);
    const position = (id: string): number => world.starts.indexOf(id) - from;
    expect(position("urgent")).toBeLessThan(4);
    expect(position("heavier")).toBeGreaterThanOrEqual(0);
    expect(position("heavier")).toBeLessThan(6);
    await node.engine.stop({ timeout: 0 });
  });

  it("takes of a type what it starts by itself, and no more of a slow one than may run", async () => {
    const world = new World();
    const node = await world.started({
      tasks: [world.sleeper("slow"), world.sleeper("fast"), world.sleeper("stated", { concurrency: 2 })],
      queues: { default: { slots: 4, burst: 4 } },
    });
    for (let n = 0; n < 50; n += 1) await node.engine.submit("slow", { ms: 60_000 }, { weight: 6 });
    for (let n = 0; n < 200; n += 1) await node.engine.submit("fast", { ms: 2 }, { weight: 5 });
    for (let n = 0; n < 50; n += 1) await node.engine.submit("stated", { ms: 60_000 }, { weight: 4 });
    await world.clock.advance(250);
    const held = async (type: string): Promise<number> =>
      (await node.engine.find({ state: "running", type, limit: 1000 })).items.length;
    expect(await held("fast")).toBeGreaterThan(10);
    expect(await held("slow")).toBe(3);
    await world.clock.advance(1_000);
    expect(await held("slow")).toBe(3);
    expect(await held("stated")).toBeLessThanOrEqual(2);
    await node.engine.stop({ timeout: 0 });
  });

  it("never lets a type start beyond its bound because it was prefetched", async () => {
    const world = new World();
    let running = 0;
    let most = 0;
    const hot = world.type("hot", async () => {
      running += 1;
      most = Math.max(most, running);
      await world.clock.sleep(5);
      running -= 1;
    });
    const node = await world.started({ tasks: [hot, world.sleeper()], queues: { default: { slots: 4, burst: 4 } } });
    for (let n = 0; n < 600; n += 1) await node.engine.submit("hot", {});
    await world.clock.advance(500);
    expect((await node.engine.find({ state: "dispatched", limit: 1000 })).items.length).toBeGreaterThan(10);
    await world.clock.advance(1_500);
    expect(world.starts).toHaveLength(600);
    expect(most).toBe(3);
    await world.stop(node);
  });
});

describe("settings while it runs", () => {
  it("act at once: more slots, fewer slots, the share, the steps, and a reset", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 2, burst: 2 } } });
    for (let n = 0; n < 30; n += 1) await node.engine.submit("sleep", { ms: 1_000 }, { id: `t${n}` });
    await world.settle();
    expect(world.starts).toHaveLength(2);
    expect(await node.engine.setQueue("default", { slots: 5, burst: 5, by: "operator" })).toMatchObject({
      slots: 5,
      burst: 5,
    });
    await world.settle();
    expect(world.starts).toHaveLength(5);
    await node.engine.setQueue("default", { slots: 1, burst: 1 });
    await world.clock.advance(1_001);
    expect(node.engine.slots()).toHaveLength(1);
    await node.engine.setQueue("default", { slots: null, burst: null });
    await world.settle();
    expect(node.engine.slots()).toHaveLength(2);
    await node.engine.stop({ timeout: 0 });
  });

  it("the share moves the cap", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 10, burst: 10 } } });
    await node.engine.pause({ queue: "default" });
    for (let n = 0; n < 30; n += 1) {
      await node.engine.submit("sleep", { ms: 100 }, { weight: 8 });
      await node.engine.submit("sleep", { ms: 100 }, { weight: 5 });
    }
    await node.engine.setQueue("default", { share: 20 });
    await node.engine.resume({ queue: "default" });
    await world.settle();
    const express = (): number => node.engine.slots().filter(({ weight }) => weight === 8).length;
    expect(express()).toBe(2);
    await node.engine.setQueue("default", { share: 50 });
    await world.clock.advance(101);
    expect(express()).toBe(5);
    await node.engine.stop({ timeout: 0 });
  });

  it("reach other nodes with the wake-up", async () => {
    const world = new World();
    const one = await world.started({ tasks: [world.sleeper()] }, lease);
    const other = await world.started({ tasks: [world.sleeper()] }, lease);
    await one.engine.setQueue("default", { slots: 9 });
    await world.clock.advance(300);
    expect((await other.engine.queue("default")).slots).toBe(9);
    await world.stop(one);
    await world.stop(other);
  });
});

describe("memory", () => {
  it("holds nothing per waiting task", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], queues: { default: { slots: 1, burst: 1 } } });
    await node.engine.submit("sleep", { ms: 3_600_000 }, { id: "first" });
    for (let n = 0; n < 2_000; n += 1) await node.engine.submit("sleep", {}, n % 2 === 0 ? {} : { delay: "1h" });
    await world.settle();
    expect((await node.engine.find({ state: "dispatched" })).items).toEqual([]);
    // The clock's timers: one for everything.
    expect(world.clock.timers).toBeLessThanOrEqual(2);
    await node.engine.stop({ timeout: 0 });
  });

  it("runs thousands of time-outs on one timer of the clock", async () => {
    const world = new World();
    const node = await world.started({
      tasks: [world.type("hold", (_, ctx) => world.clock.sleep(60_000, ctx.signal).catch(() => "told"))],
      queues: { default: { slots: 3_000, burst: 3_000 } },
    });
    await node.engine.submitMany(Array.from({ length: 3_000 }, () => ({ type: "hold", payload: {}, timeout: "10s" })));
    await world.settle();
    expect(node.engine.slots()).toHaveLength(3_000);
    // One sleep of each handler, and one timer of the engine.
    expect(world.clock.timers).toBe(3_001);
    await world.clock.advance(10_100);
    expect((await node.engine.stats()).succeeded).toBe(3_000);
    await world.stop(node);
  });
});
