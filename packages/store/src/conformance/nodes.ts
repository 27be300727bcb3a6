import { nodeId, typeName } from "@giveway/kernel";
import { expect } from "vitest";
import type { NodeRecord } from "../task-store.ts";
import { lanesOf, N1, N2, registration, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import type { Subject } from "./support/subject.ts";

export function nodesSuite({ test }: Harness): void {
  const recordOf = async (s: Subject, node: string): Promise<NodeRecord | undefined> =>
    (await s.store.nodes()).find((record) => record.node === node);
  const declareDead = async (s: Subject, node: typeof N1): Promise<boolean> =>
    s.store.declareDead(node, (await recordOf(s, node))?.lastBeat ?? 0);

  test("a registered node is listed as it said", async (s) => {
    const types = [typeName("a"), typeName("ü b")];
    await s.store.register(registration("third", T0 + 5, { label: "host 7, pid 9", release: "2.1.0", types }));
    expect(await recordOf(s, "third")).toMatchObject({
      node: "third",
      label: "host 7, pid 9",
      release: "2.1.0",
      types,
      startedAt: T0 + 5,
      lease: 15_000,
      declaredDead: false,
      provenDead: false,
      self: true,
    });
    expect((await s.store.nodes()).map(({ node }) => node).sort()).toEqual([N1, N2, "third"]);
  });

  test("registering again renews the facts, and keeps when it started", async (s) => {
    await s.store.register(registration("node-1", T0 + 50, { label: "renamed" }));
    expect(await recordOf(s, N1)).toMatchObject({ label: "renamed", startedAt: T0 });
    expect(await s.store.nodes()).toHaveLength(2);
  });

  test("each beat is later than the one before, also within a millisecond", async (s) => {
    const beats: number[] = [Number((await recordOf(s, N1))?.lastBeat)];
    for (let n = 0; n < 3; n += 1) {
      expect((await s.store.beat(N1, s.now)).alive).toBe(true);
      beats.push(Number((await recordOf(s, N1))?.lastBeat));
    }
    expect(new Set(beats).size).toBe(4);
    expect(beats).toEqual([...beats].sort((a, b) => a - b));
  });

  test("an unknown node's beat is told to stop", async (s) => {
    expect(await s.store.beat(nodeId("nobody"), s.now)).toMatchObject({ alive: false, signals: [] });
    expect(await recordOf(s, "nobody")).toBeUndefined();
  });

  test("a node is declared dead only where it has not beaten since", async (s) => {
    const seen = Number((await recordOf(s, N1))?.lastBeat);
    await s.store.beat(N1, s.now);
    expect(await s.store.declareDead(N1, seen)).toBe(false);
    expect((await s.store.beat(N1, s.now)).alive).toBe(true);
    expect(await declareDead(s, N1)).toBe(true);
    expect(await declareDead(s, N1)).toBe(true);
    expect(await recordOf(s, N1)).toMatchObject({ declaredDead: true });
    expect(await s.store.beat(N1, s.now)).toMatchObject({ alive: false, signals: [] });
    expect(await s.store.declareDead(nodeId("nobody"), 0)).toBe(false);
  });

  test("registering again revives no dead node", async (s) => {
    await declareDead(s, N1);
    await s.store.register(registration("node-1", T0 + 50));
    expect(await recordOf(s, N1)).toMatchObject({ declaredDead: true });
    expect((await s.store.beat(N1, s.now)).alive).toBe(false);
  });

  test("what a dead node still runs ends under its fence", async (s) => {
    await s.ready("a");
    const task = await s.claimOne({ node: N1 });
    await declareDead(s, N1);
    expect(await s.succeed(task)).toMatchObject({ kind: "applied" });
  });

  test("held: running ones of that node, oldest first, a page at a time", async (s) => {
    await s.ready("a", "b", "c", "d");
    await s.claim({ node: N1, lanes: lanesOf({ standard: 3 }, { standard: 1 }) });
    await s.claim({ node: N2, lanes: lanesOf({ standard: 1 }) });
    expect(await s.store.held(N1, 2)).toEqual([await s.get("a"), await s.get("b")]);
    expect((await s.store.held(N1, 9)).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    await s.lose("a");
    await s.cancel("b");
    expect((await s.store.held(N1, 9)).map(({ id }) => id)).toEqual(["c"]);
    expect(await s.store.held(nodeId("nobody"), 9)).toEqual([]);
  });

  test("a node that holds tasks is not forgotten, one that holds none is", async (s) => {
    await s.ready("a");
    await s.claimOne({ node: N1 });
    await s.store.forget(N1);
    expect(await recordOf(s, N1)).toBeDefined();
    await s.lose("a");
    await s.store.forget(N1);
    await s.store.forget(nodeId("nobody"));
    expect((await s.store.nodes()).map(({ node }) => node)).toEqual([N2]);
    expect((await s.store.beat(N1, s.now)).alive).toBe(false);
    expect((await s.claim({ node: N1 })).tasks).toEqual([]);
  });

  test("forgetting takes its signals along; a later node of that name gets none", async (s) => {
    await s.ready("a");
    await s.claimOne({ node: N1 });
    await s.cancel("a");
    await s.store.forget(N1);
    await s.store.register(registration("node-1", T0 + 9));
    expect(await s.store.beat(N1, s.now)).toMatchObject({ alive: true, signals: [] });
  });

  test("the history names the node of an attempt after that node was forgotten", async (s) => {
    await s.ready("a");
    await s.fail(await s.claimOne({ node: N1 }), 0);
    await s.succeed(await s.claimOne({ node: N2 }));
    for (const node of [N1, N2]) await s.store.forget(node);
    const history = await s.store.history((await s.get("a")).id);
    expect(history?.attempts.map(({ node }) => node)).toEqual([N1, N2]);
    expect((await s.get("a")).node).toBe(N2);
  });
}
