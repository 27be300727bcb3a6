import { nodeId } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { ownProcess, type ProcessFacts, readStat } from "../src/process/identity.ts";
import { hasProvablyEnded, type ProcessTable } from "../src/process/liveness.ts";
import { LeaseKeeper } from "../src/writer/lease-keeper.ts";
import { Child } from "./support/child.ts";
import { testFile } from "./support/folder.ts";
import { openStore } from "./support/stores.ts";
import { NODE, register } from "./support/tasks.ts";

const own: ProcessFacts = { boot: "boot-1", namespace: "pid:[1]", pid: 10, pidStarted: "500" };
const alive: ProcessTable = { exists: () => true, stat: () => ({ state: "S", started: "500" }) };

function ended(node: Partial<ProcessFacts>, table: Partial<ProcessTable> = {}, lastBeat = 100, clock = 200): boolean {
  return hasProvablyEnded({ ...own, ...node }, own, lastBeat, clock, { ...alive, ...table });
}

describe("proof that a node's process ended", () => {
  it.each([
    ["it lives", false, ended({})],
    ["the machine was booted since", true, ended({ boot: "boot-0" })],
    ["its id is free", true, ended({}, { exists: () => false })],
    ["its id is free in another namespace", false, ended({ namespace: "pid:[2]" }, { exists: () => false })],
    ["its id belongs to a later process", true, ended({}, { stat: () => ({ state: "S", started: "900" }) })],
    ["it waits to be collected", true, ended({}, { stat: () => ({ state: "Z", started: "500" }) })],
    ["its id is taken and nothing more is told", false, ended({}, { stat: () => null })],
    ["no boot id was ever told", false, ended({ boot: null })],
  ])("%s: %s", (_case, expected, found) => {
    expect(found).toBe(expected);
  });

  it("needs no boot id where the clock has begun anew", () => {
    const nameless = { ...own, boot: null };
    expect(hasProvablyEnded(nameless, nameless, 500_000, 1_000, alive)).toBe(true);
    expect(hasProvablyEnded(nameless, nameless, 1_200, 1_000, alive)).toBe(false);
  });

  it("is found for a real process, and only once it is gone", async () => {
    const file = testFile();
    const store = await openStore({ file, inline: true });
    await register(store);
    const child = new Child("worker", [file, "other", "0"]);
    await child.until(() => true);
    await child.kill();
    const nodes = await store.nodes();
    expect(nodes.map(({ node, provenDead, self }) => ({ node, provenDead, self }))).toEqual([
      { node: NODE, provenDead: false, self: true },
      { node: "other", provenDead: true, self: false },
    ]);
  });

  it.runIf(process.platform === "linux")("rests on facts that Linux tells", () => {
    const facts = ownProcess();
    expect(facts).toEqual({
      boot: expect.stringMatching(/^[0-9a-f-]{36}$/),
      namespace: expect.stringMatching(/^pid:\[\d+\]$/),
      pid: process.pid,
      pidStarted: expect.stringMatching(/^\d+$/),
    });
    expect(readStat(process.pid)?.started).toBe(facts.pidStarted);
    expect(readStat(0x7fffffff)).toBeNull();
  });
});

describe("leases", () => {
  it("run on a clock that the caller may set, inline", async () => {
    let now = 1_000.9;
    const store = await openStore({ file: testFile(), inline: true, clock: { monotonic: () => now } });
    await register(store);
    expect((await store.nodes())[0]).toMatchObject({ lastBeat: 1_000, clock: 1_000 });
    now = 61_500;
    expect((await store.nodes())[0]).toMatchObject({ lastBeat: 1_000, clock: 61_500, lease: 60_000 });
    await store.beat(NODE, 0);
    expect((await store.nodes())[0]).toMatchObject({ lastBeat: 61_500 });
  });

  it("tell two beats within one ms apart, so that none is overlooked", async () => {
    const store = await openStore({ file: testFile(), inline: true, clock: { monotonic: () => 5_000 } });
    await register(store);
    const [seen] = await store.nodes();
    await store.beat(NODE, 0);
    expect(await store.declareDead(NODE, seen?.lastBeat ?? 0)).toBe(false);
    const [again] = await store.nodes();
    expect(await store.declareDead(NODE, again?.lastBeat ?? 0)).toBe(true);
    expect((await store.beat(NODE, 0)).alive).toBe(false);
  });

  it("are late ten seconds after a beat, and until the next", () => {
    let now = 0;
    const keeper = new LeaseKeeper(() => now);
    keeper.keep("a");
    now = 5_000;
    keeper.keep("b");
    now = 10_000;
    expect(keeper.late()).toEqual(["a"]);
    keeper.renewed("a");
    expect(keeper.late()).toEqual([]);
    now = 20_000;
    expect(keeper.late()).toEqual(["a", "b"]);
    keeper.drop("a");
    keeper.renewed("a");
    expect(keeper.late()).toEqual(["b"]);
  });

  it("forget a node only once it holds nothing, and let it begin anew", async () => {
    const store = await openStore({ file: testFile(), inline: true });
    await register(store, nodeId("short"));
    await store.forget(nodeId("short"));
    expect(await store.nodes()).toEqual([]);
    expect((await store.beat(nodeId("short"), 0)).alive).toBe(false);
    await register(store, nodeId("short"));
    expect((await store.beat(nodeId("short"), 0)).alive).toBe(true);
  });
});
