import { describe, expect, it } from "vitest";
import { Child } from "./support/child.ts";
import { testFile } from "./support/folder.ts";
import { hearing, openStore } from "./support/stores.ts";
import { claimRequest, NODE, newTask, newTasks, register, settleAll, TYPE } from "./support/tasks.ts";

describe("several processes on one file", () => {
  it("insert and claim at the same time: each task is claimed once, none is lost", async () => {
    const file = testFile();
    const store = await openStore({ file, inline: true });
    await store.insert(newTasks(300, "given"), "normal", 1);
    const share = 200;
    const nodes = ["alpha", "beta", "gamma"];
    const children = nodes.map((node) => new Child("worker", [file, node, String(share)]));
    const codes = await Promise.all(children.map(({ ended }) => ended));
    expect(codes).toEqual([0, 0, 0]);
    const claimed = children.flatMap(({ said }) =>
      said.flatMap((line) => (line as { readonly claimed: readonly [string, number][] }).claimed),
    );
    const expected = [
      ...newTasks(300, "given").map(({ id }) => id),
      ...nodes.flatMap((node) => newTasks(share, node).map(({ id }) => id)),
    ];
    expect(claimed.map(([id]) => id).sort()).toEqual(expected.sort());
    expect(new Set(claimed.map(([, fence]) => fence))).toEqual(new Set([1]));
    expect(await store.totals()).toMatchObject([{ state: "succeeded", count: expected.length }]);
    expect(await store.check()).toEqual([]);
  });

  it("wake each other, and not themselves", async () => {
    const file = testFile();
    const { heard, listener } = hearing();
    const store = await openStore({ file }, listener);
    await register(store);
    await store.insert([newTask("own")], "normal", 1);
    const woken = heard.nextWake();
    const wakesBefore = heard.wakes;
    const child = new Child("writer", [file, "foreign", "1"]);
    await woken;
    expect(wakesBefore).toBe(0);
    await child.ended;
    const { tasks } = await store.claim(claimRequest(1));
    expect(tasks.map(({ id }) => id)).toEqual(["own", "foreign-0"]);
  });

  it.each([true, false])("see each other's streams, counters and numbers at once (inline: %s)", async (inline) => {
    const file = testFile();
    const one = await openStore({ file, inline });
    const two = await openStore({ file, inline });
    await register(one);
    await register(two, `${NODE}-b` as typeof NODE);
    for (let round = 0; round < 5; round += 1) {
      const now = round * 10 + 1;
      const [first] = await one.insert([newTask(`one-${round}`)], "normal", now);
      const [second] = await two.insert([newTask(`two-${round}`)], "normal", now);
      expect([first?.kind, second?.kind]).toEqual(["created", "created"]);
      const { tasks } = await one.claim(claimRequest(now, { limit: 1 }));
      const { tasks: others } = await two.claim(claimRequest(now, { node: `${NODE}-b` as typeof NODE }));
      expect([...tasks, ...others].map(({ id }) => id)).toEqual([`one-${round}`, `two-${round}`]);
      await settleAll(two, tasks, now);
      await settleAll(one, others, now);
    }
    expect(await one.check()).toEqual([]);
    expect(await two.totals()).toEqual([{ queue: "orders", type: TYPE, state: "succeeded", count: 10 }]);
  });

  it("keep a ledger-wide bound together", async () => {
    const file = testFile();
    const one = await openStore({ file, inline: true });
    const two = await openStore({ file, inline: true });
    const other = `${NODE}-b` as typeof NODE;
    await register(one);
    await register(two, other);
    await one.insert(newTasks(10), "normal", 1);
    const types = [{ type: TYPE, room: 10, bound: 4 }];
    const first = await one.claim(claimRequest(1, { types, limit: 3 }));
    const second = await two.claim(claimRequest(1, { types, node: other }));
    expect([first.tasks.length, second.tasks.length, second.full]).toEqual([3, 1, [TYPE]]);
  });
});
