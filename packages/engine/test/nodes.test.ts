import { seededRandom } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { forever, type Node, World } from "./support/world.ts";

const lease = { lease: 5_000, beat: 1_000, poll: 1_000 };

describe("take-over (C9, C10)", () => {
  it("V-01: a killed node's task is waiting again within the lease plus a sweep, and runs", async () => {
    const world = new World();
    const dead = await world.started({ tasks: [world.sleeper()] }, lease);
    await dead.engine.submit("sleep", { ms: 60_000 }, { id: "orphan" });
    await world.settle();
    dead.kill();
    const heir = await world.started({ tasks: [world.sleeper()] }, lease);
    await world.clock.advance(4_000);
    expect(world.starts).toEqual(["orphan"]);
    await world.clock.advance(2_500);
    expect(world.starts).toEqual(["orphan", "orphan"]);
    await world.clock.advance(60_000);
    expect(await heir.engine.get("orphan")).toMatchObject({ state: "succeeded", attempt: 2, retries: 1 });
    const { attempts } = await heir.engine.history("orphan");
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);
    expect(heir.eventsOf("orphan")).toEqual(["lost", "retrying", "started", "succeeded"]);
    expect(await heir.engine.nodes()).toHaveLength(1);
    await world.stop(heir);
  });

  it("V-01: a process proven dead is taken over from before dispatch begins", async () => {
    const world = new World();
    const dead = await world.started({ tasks: [world.sleeper()] }, lease);
    await dead.engine.submit("sleep", { ms: 60_000 }, { id: "orphan" });
    await world.settle();
    dead.kill();
    world.ledger.proveDead(dead.engine.nodeId);
    await world.started({ tasks: [world.sleeper()] }, lease);
    await world.settle();
    expect(world.starts).toEqual(["orphan", "orphan"]);
  });

  it("V-02: a node that wakes late can't finish what it no longer owns, and is told", async () => {
    const world = new World();
    let told: unknown = null;
    const slow = (answer: string) =>
      world.type("slow", async (_, ctx) => {
        ctx.signal.addEventListener("abort", () => {
          told = ctx.signal.reason.code;
        });
        await world.clock.sleep(10_000);
        return answer;
      });
    const frozen = await world.started({ tasks: [slow("A")] }, lease);
    await frozen.engine.submit("slow", {}, { id: "raced" });
    await world.settle();
    // Its beats don't get through: as good as a blocked event loop.
    frozen.link.hold("beat");
    const other = await world.started({ tasks: [slow("B")] }, lease);
    await world.clock.advance(9_999);
    expect(world.starts).toEqual(["raced", "raced"]);
    expect(told).toBe("lease_lost");
    await world.clock.advance(1);
    expect((await other.engine.get("raced"))?.state).toBe("running");
    await world.clock.advance(10_000);
    expect(await other.engine.get("raced")).toMatchObject({ state: "succeeded", result: "B", attempt: 2 });
    expect(frozen.eventsOf("raced")).toEqual(["submitted", "started", "late_answer"]);
    expect(other.eventsOf("raced").filter((kind) => kind === "succeeded")).toHaveLength(1);
    expect(frozen.events.filter(({ kind }) => kind === "lease_lost")).toHaveLength(1);
    // It comes back as a fresh incarnation and works again.
    const before = frozen.engine.nodeId;
    frozen.link.release();
    await world.clock.advance(2_000);
    expect(frozen.engine.nodeId).not.toBe(before);
    expect(frozen.engine.health().ready).toBe(true);
    await frozen.engine.submit("slow", {}, { id: "again" });
    await world.clock.advance(11_000);
    expect((await frozen.engine.get("again"))?.state).toBe("succeeded");
    await world.stop(frozen);
    await world.stop(other);
  });

  it("starts nothing past its own deadline, and goes on where nobody took its tasks", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, lease);
    await node.engine.submit("sleep", { ms: 30_000 }, { id: "held" });
    await world.settle();
    node.link.refuse("beat", "ledger_busy");
    await world.clock.advance(6_000);
    expect(node.engine.health()).toMatchObject({ live: true, ready: false });
    await node.engine.submit("sleep", {}, { id: "later" });
    await world.clock.advance(3_000);
    expect(world.starts).toEqual(["held"]);
    node.link.heal();
    await world.clock.advance(2_000);
    expect(node.engine.health().ready).toBe(true);
    // The one it had to abort was no failure of its own: it is started anew, no retry used.
    expect(world.starts.slice(1).sort()).toEqual(["held", "later"]);
    expect(await node.engine.get("held")).toMatchObject({ state: "running", retries: 0, attempt: 2 });
    await node.engine.stop({ timeout: 0 });
  });

  it("counts its lease from when the beat was sent, however late the answer", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, lease);
    node.link.hold("beat");
    await world.clock.advance(3_000);
    node.link.release();
    await world.settle();
    node.link.refuse("beat", "ledger_busy");
    // Sent after 1 s, answered after 3 s: the lease of 5 s is over before 6 s.
    await world.clock.advance(2_500);
    expect(node.engine.health().reasons.join()).not.toContain("lease");
    await world.clock.advance(500);
    expect(node.engine.health().reasons.join()).toContain("lease has run out");
    await world.stop(node);
  });

  it("does not judge others by their silence while its own beats fail", async () => {
    const world = new World();
    const silent = await world.started({ tasks: [world.sleeper()] }, lease);
    await silent.engine.submit("sleep", { ms: 60_000 }, { id: "held" });
    await world.settle();
    silent.kill();
    const deaf = await world.started({ tasks: [world.sleeper()] }, lease);
    deaf.link.refuse("beat", "ledger_busy");
    await world.clock.advance(4_000);
    deaf.link.heal();
    await world.clock.advance(2_500);
    expect(world.starts).toEqual(["held"]);
    await world.clock.advance(5_000);
    expect(world.starts).toEqual(["held", "held"]);
    await deaf.engine.stop({ timeout: 0 });
  });

  it("V-04: waiting tasks lie unclaimed until they are due, and each starts once", async () => {
    const world = new World();
    const nodes: Node[] = [];
    for (let n = 0; n < 3; n += 1) nodes.push(await world.started({ tasks: [world.sleeper()] }, lease));
    const due = world.clock.now() + 60_000;
    for (let n = 0; n < 200; n += 1)
      await nodes[n % 3]!.engine.submit("sleep", { ms: 5 }, { id: `t${n}`, delay: "1m" });
    await world.clock.advance(59_000);
    expect(world.starts).toEqual([]);
    expect((await nodes[0]!.engine.find({ state: "running" })).items).toEqual([]);
    await world.clock.advance(20_000);
    expect(new Set(world.starts).size).toBe(200);
    expect(world.starts).toHaveLength(200);
    for (const { engine } of nodes) {
      for (const { startedAt } of (await engine.find({ limit: 1000 })).items) {
        expect(new Date(startedAt!).getTime()).toBeGreaterThanOrEqual(due);
      }
      await world.stop({ engine });
    }
  });

  it("V-05: claimed and not yet started is leased, spends no attempt, and starts once", async () => {
    const world = new World();
    const queues = { default: { slots: 1, burst: 1 } };
    const node = await world.started({ tasks: [world.sleeper()], queues }, { ...lease, lease: 3_000 });
    const idle = await world.started(
      { tasks: [world.sleeper()], queues: { default: { slots: 1, burst: 1 } } },
      { ...lease, lease: 3_000 },
    );
    for (let n = 0; n < 5; n += 1) await node.engine.submit("sleep", { ms: 2_000 }, { id: `t${n}` });
    await world.clock.advance(20_000);
    expect([...world.starts].sort()).toEqual(["t0", "t1", "t2", "t3", "t4"]);
    for (let n = 0; n < 5; n += 1) expect((await idle.engine.get(`t${n}`))?.attempt).toBe(1);
    for (const { events } of [node, idle])
      expect(events.some(({ kind }) => kind === "lease_lost" || kind === "lost")).toBe(false);
    await world.stop(node);
    await world.stop(idle);
  });

  it("V-24: a task that kills its node three times is dead as poison, and the others run", async () => {
    const world = new World();
    const killed: Node[] = [];
    let present: Node | null = null;
    const poison = world.type("poison", () => {
      present?.kill();
      return forever();
    });
    let node = await world.started({ tasks: [poison, world.sleeper()] }, lease);
    present = node;
    await node.engine.submit("poison", {}, { id: "poison", delay: 10 });
    for (let n = 0; n < 50; n += 1) await node.engine.submit("sleep", { ms: 500 }, { id: `t${n}`, delay: 20 });
    for (let life = 0; life < 6; life += 1) {
      await world.clock.advance(15_000);
      if (node.link.open === 0) break;
      killed.push(node);
      world.ledger.proveDead(node.engine.nodeId);
      // What is taken over may start while the node does: it must kill this one then.
      node = world.node({ tasks: [poison, world.sleeper()] }, lease);
      present = node;
      await node.engine.start();
    }
    await world.clock.advance(30_000);
    expect(world.starts.filter((id) => id === "poison")).toHaveLength(3);
    expect(await node.engine.get("poison")).toMatchObject({ state: "dead", endReason: "poison", attempt: 3 });
    for (let n = 0; n < 50; n += 1) expect((await node.engine.get(`t${n}`))?.state).toBe("succeeded");
    await world.stop(node);
  });

  it("counts no loss of what was only claimed when its node died, and does not prefetch it again", async () => {
    const world = new World();
    const queues = { default: { slots: 1, burst: 1 } };
    const dying = await world.started({ tasks: [world.sleeper()], queues }, lease);
    for (let n = 0; n < 300; n += 1) await dying.engine.submit("sleep", { ms: 5 }, { id: `t${n}` });
    await world.clock.advance(400);
    const claimed = (await dying.engine.find({ state: "dispatched", limit: 1000 })).items.map(({ id }) => id);
    expect(claimed.length).toBeGreaterThan(4);
    dying.kill();
    world.ledger.proveDead(dying.engine.nodeId);
    const heir = await world.started({ tasks: [world.sleeper()], queues }, lease);
    await world.clock.advance(10_000);
    for (const id of claimed) {
      const task = await heir.engine.get(id);
      expect(task).toMatchObject({ state: "succeeded", retries: 0 });
    }
    expect((await heir.engine.find({ state: "succeeded", limit: 1000 })).items).toHaveLength(300);
    await world.stop(heir);
  });
});

describe("V-12: pause is stored and everyone obeys", () => {
  it("holds on the other node without notifications, after a restart, and on a new node", async () => {
    const world = new World();
    const queues = { default: { slots: 2, burst: 2 } };
    const options = { tasks: [world.sleeper("paused"), world.sleeper("other")], queues };
    const one = await world.started(options, lease);
    const two = await world.started(options, lease);
    two.link.deafen();
    await one.engine.pause({ type: "paused" }, { by: "operator" });
    await world.clock.advance(1_200);
    for (let n = 0; n < 20; n += 1) await one.engine.submit("paused", {}, { id: `p${n}` });
    await two.engine.submit("other", {}, { id: "o" });
    await world.clock.advance(5_000);
    await world.stop(one);
    const restarted = await world.started(options, lease);
    const added = await world.started(options, lease);
    await world.clock.advance(5_000);
    expect(world.starts).toEqual(["o"]);
    await added.engine.resume({ type: "paused" });
    await world.clock.advance(3_000);
    expect(world.starts).toHaveLength(21);
    for (const { engine } of [two, restarted, added]) await world.stop({ engine });
  });

  it("holds for a queue, and what was prefetched goes back", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    for (let n = 0; n < 400; n += 1) await node.engine.submit("sleep", { ms: 10 }, { id: `t${n}` });
    await world.clock.advance(300);
    await node.engine.pause({ queue: "default" });
    const paused = world.starts.length;
    await world.clock.advance(50);
    expect((await node.engine.find({ state: "running" })).items).toEqual([]);
    await world.clock.advance(5_000);
    expect(world.starts).toHaveLength(paused);
    expect((await node.engine.find({ state: "running" })).items).toEqual([]);
    await node.engine.resume({ queue: "default" });
    await world.clock.advance(5_000);
    expect(world.starts).toHaveLength(400);
    expect(new Set(world.starts).size).toBe(400);
    await world.stop(node);
  });
});

describe("answers that get lost", () => {
  it("a claim that was written without an answer is found again and its tasks run once", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] }, lease);
    await node.engine.pause({ queue: "default" });
    for (let n = 0; n < 20; n += 1) await node.engine.submit("sleep", { ms: 10 }, { id: `t${n}` });
    node.link.loseAnswers("claim");
    await node.engine.resume({ queue: "default" });
    await world.clock.advance(2_000);
    expect(world.starts).toEqual([]);
    node.link.heal();
    await world.clock.advance(10_000);
    expect([...world.starts].sort()).toEqual(Array.from({ length: 20 }, (_, n) => `t${n}`).sort());
    for (let n = 0; n < 20; n += 1)
      expect(await node.engine.get(`t${n}`)).toMatchObject({ state: "succeeded", attempt: 1 });
    await world.stop(node);
  });

  it("a finish that was written without an answer is told once", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    node.link.loseAnswers("settle");
    await node.engine.submit("sleep", {}, { id: "a" });
    await world.clock.advance(1_000);
    expect(node.eventsOf("a")).toEqual(["submitted", "started"]);
    node.link.heal();
    await world.clock.advance(5_000);
    expect(node.eventsOf("a")).toEqual(["submitted", "started", "succeeded"]);
    await world.stop(node);
  });

  it("a hand-off that was written without an answer is given back", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    node.link.loseAnswers("insert");
    await expect(node.engine.submit("sleep", {}, { id: "a" })).rejects.toMatchObject({ code: "ledger_unavailable" });
    node.link.heal();
    const again = await node.engine.submit("sleep", {}, { id: "a" });
    expect(again.created).toBe(false);
    await world.clock.advance(3_000);
    expect(world.starts).toEqual(["a"]);
    expect(await node.engine.get("a")).toMatchObject({ state: "succeeded", attempt: 1 });
    await world.stop(node);
  });

  it("V-39: while the ledger takes nothing, finishes are kept and errors are logged once a second", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    for (let n = 0; n < 4; n += 1) await node.engine.submit("sleep", { ms: 10 }, { id: `t${n}` });
    node.link.refuse("settle", "ledger_full");
    node.link.refuse("claim", "ledger_full");
    await world.clock.advance(60_000);
    expect((await node.engine.get("t0"))?.state).toBe("running");
    expect(node.engine.health().ready).toBe(false);
    const lines = node.logger.seen.filter(({ fields }) => fields["event"] === "ledger_failed").length;
    expect(lines).toBeGreaterThan(5);
    expect(lines).toBeLessThanOrEqual(61);
    node.link.heal();
    await world.clock.advance(6_000);
    for (let n = 0; n < 4; n += 1) expect((await node.engine.get(`t${n}`))?.state).toBe("succeeded");
    expect(node.engine.health()).toEqual({ live: true, ready: true, reasons: [] });
    await world.stop(node);
  });

  it("stops at once, and says why, where the ledger can't be used any more", async () => {
    const world = new World();
    let reason: unknown = null;
    const wait = world.type("wait", (_, ctx) =>
      world.clock.sleep(60_000, ctx.signal).catch((error: { code: string }) => {
        reason = error.code;
      }),
    );
    const node = await world.started({ tasks: [wait] });
    await node.engine.submit("wait", {});
    await world.settle();
    node.link.breakDown(new Error("fsync failed"));
    await world.settle();
    expect(reason).toBe("shutting_down");
    expect(node.engine.health()).toEqual({
      live: false,
      ready: false,
      reasons: ["the ledger can't be used any more: fsync failed"],
    });
    await expect(node.engine.submit("wait", {})).rejects.toThrow("fsync failed");
    await world.stop(node);
    expect(world.clock.timers).toBe(0);
  });
});

describe("many nodes at random", () => {
  it("lose nothing and finish everything once, whoever dies when", async () => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const world = new World(seed);
      const random = seededRandom(seed);
      const options = {
        tasks: [world.sleeper("sleep", { retry: { delays: ["1s", "1s", "1s", "1s", "1s", "1s", "1s", "1s"] } })],
      };
      let nodes: Node[] = [];
      const all: Node[] = [];
      const add = async (): Promise<void> => {
        const node = await world.started(options, lease);
        nodes.push(node);
        all.push(node);
      };
      for (let n = 0; n < 3; n += 1) await add();
      for (let n = 0; n < 150; n += 1) {
        const node = nodes[Math.floor(random() * nodes.length)]!;
        const delay = random() < 0.3 ? Math.floor(random() * 5_000) : 0;
        const weight = 1 + Math.floor(random() * 10);
        await node.engine.submit("sleep", { ms: Math.floor(random() * 400) }, { id: `t${n}`, delay, weight });
        if (random() < 0.3) await world.clock.advance(Math.floor(random() * 300));
        if (random() < 0.02 && nodes.length > 1) {
          const victim = nodes.splice(Math.floor(random() * nodes.length), 1)[0]!;
          victim.kill();
          if (random() < 0.5) world.ledger.proveDead(victim.engine.nodeId);
          await add();
        }
      }
      await world.clock.advance(60_000);
      const succeeded = new Map<string, number>();
      for (const { events } of all) {
        for (const { kind, task } of events) {
          if (kind === "succeeded" && task !== null) succeeded.set(task, (succeeded.get(task) ?? 0) + 1);
        }
      }
      for (let n = 0; n < 150; n += 1) {
        expect((await nodes[0]!.engine.get(`t${n}`))?.state, `seed ${seed}, t${n}`).toBe("succeeded");
        expect(succeeded.get(`t${n}`) ?? 0, `seed ${seed}, t${n}`).toBeLessThanOrEqual(1);
      }
      for (const { engine } of nodes) {
        const { bounds } = await engine.queue("default");
        expect(bounds).toEqual({ order: { breaches: 0 }, share: { breaches: 0 } });
        await world.stop({ engine });
      }
      nodes = [];
    }
  });
});
