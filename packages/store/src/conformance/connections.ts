import { decideReweight, type GivewayError, SYSTEM, settleSuccess } from "@giveway/kernel";
import { expect } from "vitest";
import { lanesOf, MAIN, N1, N2, newTask, openTypes, registration, runOf } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

/** Opening and closing, and several connections to one ledger. */
export function connectionsSuite(harness: Harness): void {
  lifecycle(harness);
  shared(harness);
}

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return (error as GivewayError | null)?.code ?? "none";
};

function lifecycle({ test }: Harness): void {
  test("features say what the store can do", async (s) => {
    const { features } = s.store;
    expect(features.lease).toBeGreaterThan(features.beat);
    expect(features.beat).toBeGreaterThan(0);
    expect(["caller", "ledger"]).toContain(features.clock);
    expect(await s.store.info()).toMatchObject({ schemaVersion: expect.any(Number), location: expect.any(String) });
  });

  test("after close every call is refused, with a code, and closing again is harmless", async (s) => {
    const store = await s.connect();
    await store.close();
    await store.close();
    const calls: Record<string, () => Promise<unknown>> = {
      insert: () => store.insert([newTask("a")], "normal", s.now),
      claim: () =>
        store.claim({
          queue: MAIN,
          node: N1,
          claimNo: 1,
          now: s.now,
          types: openTypes("work"),
          lanes: lanesOf({ standard: 1 }),
        }),
      markStarted: () => store.markStarted([{ key: 1 as never, fence: 1 as never, attempt: 1, startedAt: 1 }]),
      settle: () => store.settle([{ key: 1 as never, fence: 1 as never, settlement: {} as never }], s.now),
      change: () =>
        store.change([{ id: "a" as never, version: 1, patch: {}, record: null, archive: false, signal: null }], s.now),
      get: () => store.get([newTask("a").id]),
      find: () => store.find({ limit: 1, now: s.now }),
      depths: () => store.depths(),
      beat: () => store.beat(N1, s.now),
      nodes: () => store.nodes(),
    };
    for (const [name, call] of Object.entries(calls)) expect(await codeOf(call()), name).toBe("ledger_closed");
    expect((await s.store.nodes()).length).toBe(2);
    await s.connect();
  });

  test("what was asked before close is done, and answered", async (s) => {
    const store = await s.connect();
    const writing = Promise.all(
      Array.from({ length: 20 }, (_, n) => store.insert([newTask(`t${n}`)], n % 2 === 0 ? "bulk" : "express", s.now)),
    );
    const closing = store.close();
    expect((await writing).flat().every(({ kind }) => kind === "created")).toBe(true);
    await closing;
    const other = await s.connect();
    expect((await other.find({ limit: 100, now: s.now })).tasks).toHaveLength(20);
  });
}

function shared({ test }: Harness): void {
  test("what one writes the other reads, at once", async (s) => {
    const other = await s.connect();
    await s.ready("a");
    expect((await other.get([newTask("a").id]))[0]).toEqual(await s.get("a"));
    const [outcome] = await other.insert([newTask("a")], "normal", s.now);
    expect(outcome?.kind).toBe("exists");
    await other.insert([newTask("b")], "normal", s.now);
    expect(await s.claimIds()).toEqual(["a", "b"]);
    expect(await other.depths()).toEqual(await s.store.depths());
  });

  test("keys, places and names made by both never collide", async (s) => {
    const other = await s.connect();
    const stores = [s.store, other];
    for (let n = 0; n < 20; n += 1) {
      const store = stores[n % 2] ?? s.store;
      await store.insert([newTask(`t${n}`, { type: `type-${n % 5}` as never })], "normal", s.now);
    }
    const rows = (await s.store.find({ limit: 100, now: s.now })).tasks;
    expect(new Set(rows.map(({ key }) => key)).size).toBe(20);
    expect(new Set(rows.map(({ seq }) => seq)).size).toBe(20);
    const types = openTypes(...Array.from({ length: 5 }, (_, n) => `type-${n}`));
    expect(await s.claimIds({ types })).toEqual(Array.from({ length: 20 }, (_, n) => `t${n}`));
  });

  test("a task is claimed by one of them", async (s) => {
    const other = await s.connect();
    await s.ready(...Array.from({ length: 60 }, (_, n) => `t${n}`));
    const request = { queue: MAIN, types: openTypes("work"), lanes: lanesOf({ standard: 7 }), now: s.now };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0
          ? s.store.claim({ ...request, node: N1, claimNo: n })
          : other.claim({ ...request, node: N2, claimNo: n }),
      ),
    );
    const ids = answers.flatMap(({ tasks }) => tasks.map(({ id }) => id));
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });

  test("two changes on one version through two connections: one wins", async (s) => {
    const other = await s.connect();
    await s.ready("a");
    const seen = await s.get("a");
    const decision = decideReweight(seen, 6, { policy: "express" }, s.now, SYSTEM);
    if (decision === null) throw new Error("nothing to change");
    const op = { id: seen.id, version: seen.version, ...decision };
    const outcomes = await Promise.all([s.store.change([op], s.now), other.change([op], s.now)]);
    expect(
      outcomes
        .flat()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["applied", "refused"]);
  });

  test("a settlement is refused where the other took the task over meanwhile", async (s) => {
    const other = await s.connect();
    await s.ready("a");
    const task = await s.claimOne({ node: N1 });
    await s.lose("a");
    const again = await other.claim({
      queue: MAIN,
      node: N2,
      claimNo: 1,
      now: s.now,
      types: openTypes("work"),
      lanes: lanesOf({ standard: 1 }),
    });
    expect(again.tasks).toMatchObject([{ id: "a", fence: 2 }]);
    expect(await s.succeed(task)).toEqual({ kind: "refused", state: "running" });
    const op = { key: task.key, fence: 2 as never, settlement: settleSuccess(runOf(task, s.now), '"theirs"') };
    expect(await other.settle([op], s.now)).toEqual([{ kind: "applied", seq: null }]);
    expect((await s.get("a")).result).toBe('"theirs"');
  });

  test("nodes, settings and signals are seen by both; each knows its own node", async (s) => {
    const other = await s.connect();
    await other.register(registration("other", s.now));
    const selves = async (store: typeof other) =>
      (await store.nodes())
        .filter(({ self }) => self)
        .map(({ node }) => node)
        .sort();
    expect(await selves(s.store)).toEqual([N1, N2]);
    expect(await selves(other)).toEqual(["other"]);
    const setting = { scope: "type", name: "work", key: "paused", value: "true", by: "ada", at: s.now } as const;
    await other.override(setting);
    expect(await s.store.overrides()).toEqual([setting]);
    await s.ready("a");
    await s.claimOne({ node: "other" as typeof N1 });
    await s.cancel("a");
    expect((await other.beat("other" as typeof N1, s.now)).signals).toEqual([{ kind: "cancelled", id: "a" }]);
  });

  test("a write of one wakes the other", async (s) => {
    if (s.store.features.wake === "none") return;
    let wake = (): void => {};
    const woken = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      });
    const other = await s.connect({ wake: () => wake(), fatal() {} });
    const first = woken();
    await s.ready("a");
    await first;
    const task = await s.claimOne();
    const second = woken();
    await s.succeed(task);
    await second;
    expect((await other.totals())[0]?.count).toBe(1);
  });
}
