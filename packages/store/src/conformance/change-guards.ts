import { taskId } from "@giveway/kernel";
import { expect } from "vitest";
import type { ChangeOp } from "../task-store.ts";
import { lanesOf, N1, N2, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

/** Which changes are refused, and what is left for the node that runs the task. */
export function changeGuardsSuite(harness: Harness): void {
  guard(harness);
  signals(harness);
}

const RECORD = {
  at: T0,
  by: "ada",
  kind: "edited",
  before: '{"name":null}',
  after: '{"name":"b"}',
  cause: "because",
} as const;

function guard({ test }: Harness): void {
  test("two changes on one version: one wins, the other is shown what stands", async (s) => {
    await s.ready("a");
    const seen = await s.get("a");
    const op = (name: string): ChangeOp => ({
      id: seen.id,
      version: seen.version,
      patch: { name },
      record: null,
      archive: false,
      signal: null,
    });
    const [first, second] = await Promise.all([s.store.change([op("one")], s.now), s.store.change([op("two")], s.now)]);
    const now = await s.get("a");
    expect(now).toEqual({ ...seen, name: "one", version: seen.version + 1, updatedAt: s.now });
    expect(first).toEqual([{ kind: "applied", task: now }]);
    expect(second).toEqual([{ kind: "refused", task: now }]);
  });

  test("two changes on one version in one batch, too", async (s) => {
    await s.ready("a");
    const { id, version } = await s.get("a");
    const op = { id, version, record: null, archive: false, signal: null };
    const outcomes = await s.store.change(
      [
        { ...op, patch: { name: "one" } },
        { ...op, patch: { name: "two" } },
        { ...op, version: version + 1, patch: { name: "three" } },
      ],
      s.now,
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(["applied", "refused", "applied"]);
    expect((await s.get("a")).name).toBe("three");
  });

  test("a change decided before a claim, a start or an end is refused", async (s) => {
    await s.ready("a");
    const waiting = await s.get("a");
    const { tasks } = await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
    const claimed = await s.get("a");
    const [task] = tasks;
    if (task === undefined) throw new Error("nothing was claimed");
    await s.store.markStarted([{ key: task.key, fence: task.fence, attempt: 1, startedAt: s.now }]);
    const started = await s.get("a");
    await s.succeed({ ...task, started: true, attempt: 1 });
    const ended = await s.get("a");
    for (const seen of [waiting, claimed, started]) {
      expect(await s.changeOn(seen, { patch: { state: "cancelled" } })).toEqual({ kind: "refused", task: ended });
    }
    expect(await s.get("a")).toEqual(ended);
    expect(new Set([waiting, claimed, started, ended].map(({ version }) => version)).size).toBe(4);
  });

  test("a task that is not there: refused, with nothing", async (s) => {
    const op = { id: taskId("nobody"), version: 1, patch: {}, record: null, archive: false, signal: null };
    expect(await s.store.change([op], s.now)).toEqual([{ kind: "refused", task: null }]);
    expect(await s.store.change([], s.now)).toEqual([]);
  });

  test("a refused change leaves no record and no signal", async (s) => {
    await s.ready("a");
    const seen = await s.get("a");
    await s.claimOne();
    await s.changeOn(seen, { patch: { name: "x" }, record: RECORD, signal: "cancelled", archive: true });
    const history = await s.store.history(seen.id);
    expect(history?.changes).toEqual([]);
    expect(history?.attempts).toHaveLength(1);
    expect((await s.store.beat(N1, s.now)).signals).toEqual([]);
  });
}

function signals({ test }: Harness): void {
  test("are left for the node that runs the task, and delivered once, in order, by its beat", async (s) => {
    await s.ready("a", "b");
    await s.claimOne({ node: N1 });
    await s.claimOne({ node: N2 });
    await s.change("a", () => ({ patch: { weight: 6 }, signal: "reweighted" }));
    await s.cancel("b");
    await s.cancel("a");
    expect(await s.store.beat(N1, s.now)).toMatchObject({
      alive: true,
      signals: [
        { kind: "reweighted", id: "a" },
        { kind: "cancelled", id: "a" },
      ],
    });
    expect((await s.store.beat(N1, s.now)).signals).toEqual([]);
    expect((await s.store.beat(N2, s.now)).signals).toEqual([{ kind: "cancelled", id: "b" }]);
  });

  test("none where the task was not running", async (s) => {
    await s.taskIn("dead", "d");
    await s.change("d", () => ({ patch: { payload: "1" }, signal: "reweighted" }));
    await s.ready("a");
    await s.change("a", () => ({ patch: { weight: 6 }, signal: "reweighted" }));
    for (const node of [N1, N2]) expect((await s.store.beat(node, s.now)).signals).toEqual([]);
  });
}
