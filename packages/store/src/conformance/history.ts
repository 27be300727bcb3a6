import { settleRelease, settleSnooze, taskId } from "@giveway/kernel";
import { expect } from "vitest";
import { BROKEN, N1, N2, runOf, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

export function historySuite({ test }: Harness): void {
  test("of an unknown task: nothing", async (s) => {
    expect(await s.store.history(taskId("nobody"))).toBeNull();
  });

  test("of a task that waits for the first time: its row alone", async (s) => {
    await s.ready("a");
    expect(await s.store.history(taskId("a"))).toEqual({ task: await s.get("a"), attempts: [], changes: [] });
  });

  test("the running attempt is its last entry, open-ended", async (s) => {
    await s.ready("a");
    await s.claimOne({ node: N2 });
    const history = await s.store.history(taskId("a"));
    expect(history?.attempts).toEqual([
      { attempt: 1, outcome: null, node: N2, startedAt: T0, endedAt: null, error: null, log: [] },
    ]);
  });

  test("every attempt in its order, each with how it ended, where and what it said", async (s) => {
    await s.ready("a");
    const nodes = [N1, N2, N1, N2];
    for (const [n, node] of nodes.entries()) {
      s.now = T0 + n * 1_000;
      const task = await s.claimOne({ node });
      const started = s.now;
      s.now += 500;
      const facts = runOf(task, s.now, { startedAt: started, log: [{ at: s.now, level: "info", text: `line ${n}` }] });
      if (n === 0) await s.fail(task, 0);
      if (n === 1) await s.settle(task, { ...settleRelease(facts) });
      if (n === 2) await s.settle(task, settleSnooze(facts, 0));
      if (n === 3) await s.succeed(task, '"done"');
    }
    const history = await s.store.history(taskId("a"));
    expect(history?.attempts.map(({ attempt, outcome, node, error }) => [attempt, outcome, node, error])).toEqual([
      [1, "failed", N1, BROKEN],
      [2, "released", N2, null],
      [3, "snoozed", N1, null],
      [4, "succeeded", N2, null],
    ]);
    expect(history?.attempts.map(({ log }) => log.map(({ text }) => text))).toEqual([[], ["line 1"], ["line 2"], []]);
    expect(history?.attempts.map(({ endedAt }) => endedAt)).toEqual([T0 + 500, T0 + 1_500, T0 + 2_500, T0 + 3_500]);
    expect(history?.task).toEqual(await s.get("a"));
  });

  test("changes in their order, as they were recorded", async (s) => {
    await s.ready("a");
    const records = ["reweighted", "edited", "rescheduled"].map((kind, n) => ({
      at: T0 + n,
      by: n === 1 ? "Zoë, ops" : "system",
      kind: kind as "edited",
      before: n === 0 ? null : `{"n":${n}}`,
      after: `{"n":${n + 1}}`,
      cause: n === 2 ? null : "it's late",
    }));
    for (const record of records) await s.change("a", () => ({ patch: {}, record }));
    expect((await s.store.history(taskId("a")))?.changes).toEqual(records);
  });

  test("an attempt is never listed twice or lost, over reruns and cancels", async (s) => {
    await s.ready("a");
    await s.fail(await s.claimOne(), null);
    await s.rerun("a");
    await s.claimOne();
    await s.cancel("a");
    await s.rerun("a");
    await s.cancel("a");
    await s.rerun("a");
    await s.succeed(await s.claimOne());
    const attempts = (await s.store.history(taskId("a")))?.attempts;
    expect(attempts?.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, "failed"],
      [2, "cancelled"],
      [3, "succeeded"],
    ]);
  });
}
