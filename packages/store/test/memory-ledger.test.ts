import { GivewayError, nodeId, queueName, taskId, typeName } from "@giveway/kernel";
import type { NewTask, TaskStore } from "@giveway/store";
import { createMemoryStore, type MemoryHooks, MemoryLedger, type StoreCall } from "@giveway/store/memory";
import { describe, expect, it } from "vitest";

const NOW = 1_000;

const task = (id: string): NewTask => ({
  id: taskId(id),
  type: typeName("work"),
  queue: queueName("main"),
  name: null,
  weight: 5,
  payload: "1",
  overrides: {},
  requestId: id,
  rerunOf: null,
  dueAt: 0,
  handOff: null,
});

async function opened(ledger: MemoryLedger, hooks: MemoryHooks = {}, wake = (): void => {}): Promise<TaskStore> {
  const store = ledger.connect(hooks);
  store.listen({ wake, fatal() {} });
  await store.open();
  return store;
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof GivewayError ? error.code : error),
  );

describe("a memory ledger", () => {
  it("carries calls out at once, in the order in which they are made", async () => {
    const store = await opened(new MemoryLedger());
    const inserting = store.insert([task("a")], "bulk", NOW);
    const reading = store.get([taskId("a")]);
    expect((await reading)[0]?.id).toBe("a");
    expect((await inserting)[0]?.kind).toBe("created");
  });

  it("answers by microtasks: no timer and no turn of the event loop in between", async () => {
    const store = await opened(new MemoryLedger());
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    for (let n = 0; n < 100; n += 1) await store.insert([task(`t${n}`)], "normal", NOW);
    await store.find({ limit: 10, now: NOW });
    expect(turned).toBe(false);
  });

  it("refuses calls before it was opened, and opening after it was closed", async () => {
    const store = createMemoryStore();
    expect(await codeOf(store.depths())).toBe("ledger_closed");
    await store.open();
    await store.close();
    expect(await codeOf(store.open())).toBe("ledger_closed");
  });

  it("polls nothing where it has one connection, unless asked to", () => {
    expect(createMemoryStore().features).toMatchObject({ poll: 0, durable: false, clock: "caller" });
    expect(createMemoryStore({ poll: 50, lease: 9, beat: 3 }).features).toMatchObject({ poll: 50, lease: 9, beat: 3 });
    expect(new MemoryLedger().connect().features.poll).toBeGreaterThan(0);
  });

  it("has no file to copy, and says so", async () => {
    const store = await opened(new MemoryLedger());
    expect(await codeOf(store.backup("anywhere"))).toBe("invalid_option");
  });

  it("keeps nothing that its callers can reach into", async () => {
    const store = await opened(new MemoryLedger());
    const tags = ["before"];
    await store.insert([{ ...task("a"), overrides: { tags } }], "normal", NOW);
    tags.push("after");
    expect((await store.get([taskId("a")]))[0]?.overrides).toEqual({ tags: ["before"] });
  });

  it("tells how much text it holds", async () => {
    const store = await opened(new MemoryLedger());
    expect((await store.info()).bytes).toBe(0);
    await store.insert([{ ...task("abc"), payload: '"12345"' }], "normal", NOW);
    expect((await store.info()).bytes).toBe(10);
  });
});

describe("wake-ups between connections", () => {
  it("reach every other open one, once for all that was written in one go", async () => {
    const ledger = new MemoryLedger();
    const woken = [0, 0, 0];
    const stores: TaskStore[] = [];
    for (const n of [0, 1, 2]) {
      const wake = () => {
        woken[n] = (woken[n] ?? 0) + 1;
      };
      stores.push(await opened(ledger, {}, wake));
    }
    const [first, , third] = stores as [TaskStore, TaskStore, TaskStore];
    await Promise.all([1, 2, 3].map((n) => first.insert([task(`t${n}`)], "normal", NOW)));
    expect(woken).toEqual([0, 1, 1]);
    await third.close();
    await first.insert([task("later")], "normal", NOW);
    expect(woken).toEqual([0, 2, 1]);
  });

  it("are not made for what is no news: beats, reads, starts, claims and inserts that changed nothing", async () => {
    const ledger = new MemoryLedger();
    let woken = 0;
    const store = await opened(ledger);
    await opened(ledger, {}, () => {
      woken += 1;
    });
    const node = nodeId("n");
    await store.register({ node, label: "n", release: "1", types: [], now: NOW, lease: 9 });
    await store.insert([task("a")], "normal", NOW);
    await store.get([]);
    const before = woken;
    await store.insert([task("a")], "normal", NOW);
    await store.beat(node, NOW);
    await store.markStarted([]);
    await store.settle([], NOW);
    await store.claim({ queue: queueName("main"), node, claimNo: 1, now: NOW, types: [], lanes: [] });
    await store.find({ limit: 1, now: NOW });
    await store.forget(node);
    expect(woken).toBe(before);
  });
});

describe("faults put into a connection", () => {
  it("before a call: nothing was written", async () => {
    const refused = new GivewayError("ledger_busy", "locked");
    let busy = true;
    const store = await opened(new MemoryLedger(), {
      before() {
        if (busy) throw refused;
      },
    });
    expect(await codeOf(store.insert([task("a")], "normal", NOW))).toBe("ledger_busy");
    busy = false;
    expect(await store.get([taskId("a")])).toEqual([null]);
  });

  it("after a call: it was written, its caller is not told, the others are", async () => {
    const ledger = new MemoryLedger();
    let woken = 0;
    const other = await opened(ledger, {}, () => {
      woken += 1;
    });
    const store = await opened(ledger, {
      after({ method }) {
        if (method === "insert") throw new GivewayError("ledger_unavailable", "the answer was lost");
      },
    });
    expect(await codeOf(store.insert([task("a")], "normal", NOW))).toBe("ledger_unavailable");
    expect((await other.get([taskId("a")]))[0]?.id).toBe("a");
    expect(woken).toBe(1);
  });

  it("a delay before a call lets others pass it, and a close in between refuses it", async () => {
    const gates: (() => void)[] = [];
    const ledger = new MemoryLedger();
    const slow = await opened(ledger, { before: () => new Promise((resolve) => gates.push(resolve)) });
    const other = await opened(ledger);
    const first = slow.insert([task("a")], "normal", NOW);
    const second = codeOf(slow.insert([task("b")], "normal", NOW));
    await other.insert([{ ...task("a"), payload: "2" }], "normal", NOW);
    gates[0]?.();
    expect(await first).toMatchObject([{ kind: "exists", task: { payload: "2" } }]);
    await slow.close();
    gates[1]?.();
    expect(await second).toBe("ledger_closed");
    expect(await other.get([taskId("b")])).toEqual([null]);
  });

  it("are told the method and its arguments", async () => {
    const calls: StoreCall[] = [];
    const store = await opened(new MemoryLedger(), {
      before: (call) => {
        calls.push(call);
      },
    });
    await store.beat(nodeId("n"), NOW);
    await store.depths();
    expect(calls).toEqual([
      { method: "beat", args: ["n", NOW] },
      { method: "depths", args: [] },
    ]);
  });
});

describe("nodes of a memory ledger", () => {
  it("are proven dead where a simulation says so", async () => {
    const ledger = new MemoryLedger();
    const store = await opened(ledger);
    await store.register({ node: nodeId("n"), label: "n", release: "1", types: [], now: NOW, lease: 9 });
    expect(await store.nodes()).toMatchObject([{ provenDead: false }]);
    ledger.proveDead("n");
    expect(await store.nodes()).toMatchObject([{ provenDead: true, declaredDead: false }]);
  });

  it("share a lease clock: the latest instant that any of them brought", async () => {
    const ledger = new MemoryLedger();
    const [one, two] = [await opened(ledger), await opened(ledger)];
    await one.register({ node: nodeId("n1"), label: "", release: "1", types: [], now: 10, lease: 9 });
    await two.register({ node: nodeId("n2"), label: "", release: "1", types: [], now: 20, lease: 9 });
    await one.beat(nodeId("n1"), 15);
    expect((await one.nodes()).map(({ clock, lastBeat }) => [clock, lastBeat])).toEqual([
      [20, 15],
      [20, 20],
    ]);
  });
});
