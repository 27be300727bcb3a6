import { explain, nodeId, type WhyCode, type WhyFacts } from "@giveway/kernel";
import { describe, expect, test } from "vitest";
import { endedTask, runningTask, START } from "../models/tasks.ts";
import {
  attemptWith,
  changeWith,
  factsWith,
  freeQueue,
  healthyHolder,
  NOW,
  openType,
  queueWith,
} from "../models/why-facts.ts";

const full = { express: 1, standard: 3, burst: 0 };
const delayed = { dueAt: NOW + 4_000, seq: null, since: null } as const;
const error = { name: "RemoteError", message: "503 from the warehouse\nand more" };
const running = (task = {}, changes: Partial<WhyFacts> = {}) =>
  factsWith({}, { task: runningTask(task), holder: healthyHolder, position: null, ...changes });
const ended = (state: "succeeded" | "dead" | "cancelled", task = {}, changes: Partial<WhyFacts> = {}) =>
  factsWith({}, { task: endedTask(state, task), position: null, ...changes });

describe("the order, in words", () => {
  const find = (facts: WhyFacts, code: WhyCode) => explain(facts).reasons.find((reason) => reason.code === code)?.text;

  test("aging tells what was gained, and until when a task can be overtaken", () => {
    expect(find(factsWith({ weight: 2 }), "aging")).toBe(
      "Weight 2 counts as 4 after waiting 10s (1 more each 5s, up to 6); only tasks that become ready before 2026-03-01T09:00:20.000Z (in 10s) can overtake it in its lane.",
    );
    expect(find(factsWith({ weight: 5 }), "aging")).toMatch(
      /Weight 5 counts as 6 .*nothing that becomes ready from now on overtakes it/,
    );
    expect(find(factsWith({ weight: 9 }), "aging")).toMatch(
      /Weight 9 counts as 10 after waiting 10s \(1 more each 1s, up to 10\)/,
    );
    expect(find(factsWith({ weight: 2 }, { queue: queueWith({ policy: "ladder" }) }), "aging")).toMatch(
      /Weight 2 counts as 8 .*\(one named level each 5s, up to critical\); only tasks/,
    );
    expect(find(factsWith({ weight: 2 }, { queue: queueWith({ policy: "strict" }) }), "aging")).toMatch(
      /no aging under this policy\); heavier tasks overtake it without bound/,
    );
    expect(find(factsWith({ weight: 2 }, { queue: queueWith({ policy: "fifo" }) }), "aging")).toMatch(
      /weights don't count under this policy\); nothing that becomes ready from now on/,
    );
  });

  test("flattened tells of the ceiling, once it was reached by waiting", () => {
    expect(find(factsWith({ weight: 5 }), "flattened")).toMatch(
      /ceiling of 6.*order is that of becoming ready.*queue orders/,
    );
    expect(find(factsWith({ weight: 2 }), "flattened")).toBeUndefined();
    expect(find(factsWith({ weight: 6 }), "flattened")).toBeUndefined();
  });

  test.each<[string, Partial<WhyFacts["task"]>, Partial<WhyFacts>, RegExp]>([
    ["a due time", {}, {}, /when its due time had come/],
    [
      "a retry",
      {},
      { attempts: [attemptWith(1, "failed", { endedAt: START + 1_000 })] },
      /when it was ready again after attempt 1/,
    ],
    ["a snooze", {}, { attempts: [attemptWith(1, "snoozed", { endedAt: START + 1_000 })] }, /when its snooze was over/],
    ["a change", {}, { changes: [changeWith("reweighted", START + 3_000)] }, /after it was reweighted by ann/],
    [
      "a rerun after a failure",
      {},
      {
        attempts: [attemptWith(1, "failed", { endedAt: START + 1_000 })],
        changes: [changeWith("rerun", START + 2_000)],
      },
      /after it was rerun by ann/,
    ],
    [
      "a failure after a change",
      {},
      {
        attempts: [attemptWith(1, "failed", { endedAt: START + 2_500 })],
        changes: [changeWith("rerun", START + 2_000)],
      },
      /after attempt 1/,
    ],
    ["a change after it", {}, { changes: [changeWith("edited", START + 5_000)] }, /when its due time had come/],
    [
      "a change that moves nothing",
      {},
      { changes: [changeWith("cancelled", START + 2_000)] },
      /when its due time had come/,
    ],
  ])("place is explained by %s", (_name, task, changes, cause) => {
    const text = find(factsWith({ since: START + 3_000, ...task }, changes), "place");
    expect(text).toMatch(cause);
    expect(text).toMatch(
      /^Its place counts from 2026-03-01T09:00:03\.000Z \(7s ago\), .*not from its submit at 2026-03-01T09:00:00\.000Z/,
    );
  });

  test("expires warns until the first start", () => {
    const overrides = { expires: NOW + 60_000 };
    expect(find(factsWith({ overrides }), "expires")).toMatch(
      /^It is cancelled unless it starts before .* \(in 1m\)\.$/,
    );
    expect(find(factsWith({ overrides, attempt: 1 }), "expires")).toBeUndefined();
  });
});

describe("weight, position and estimate", () => {
  test("terms of a ready task's weight", () => {
    expect(explain(factsWith({ weight: 2 })).weight).toEqual({ base: 2, gained: 2, effective: 4, ceiling: 6 });
    expect(explain(factsWith({ weight: 9 })).weight).toEqual({ base: 9, gained: 1, effective: 10, ceiling: 10 });
    expect(explain(factsWith({ weight: 2 }, { queue: queueWith({ policy: "ladder" }) })).weight).toEqual({
      base: 2,
      gained: 6,
      effective: 8,
      ceiling: 10,
    });
    expect(explain(factsWith({ weight: 2 }, { queue: queueWith({ policy: "strict" }) })).weight).toEqual({
      base: 2,
      gained: 0,
      effective: 2,
      ceiling: 2,
    });
    expect(explain(factsWith({ weight: 2 }, { queue: queueWith({ policy: "fifo" }) })).weight).toEqual({
      base: 2,
      gained: 0,
      effective: 2,
      ceiling: 2,
    });
    expect(explain(factsWith(delayed)).weight).toBeNull();
    expect(explain(factsWith({}, { queue: null })).weight).toBeNull();
    expect(explain(running()).weight).toBeNull();
  });

  test("position of a ready task only", () => {
    expect(explain(factsWith({}, { position: { ahead: 12, express: 3, limit: 1_000 } })).position).toBe(12);
    expect(explain(factsWith(delayed, { position: null })).position).toBeNull();
    expect(explain(running()).position).toBeNull();
  });

  const behind = (ahead: number, express: number) => ({ position: { ahead, express, limit: 1_000 } });
  const busy = { usage: full };
  test.each<[string, WhyFacts, number | null]>([
    ["free and first: now", factsWith(), NOW],
    ["delayed: its due time", factsWith(delayed), NOW + 4_000],
    ["first of busy slots: a quarter of a mean run", factsWith({}, { queue: queueWith(busy) }), NOW + 250],
    ["eleven ahead on four slots of 1 s", factsWith({}, { queue: queueWith(busy), ...behind(11, 0) }), NOW + 3_000],
    [
      "eleven ahead while express waits: on the two slots kept",
      factsWith({}, { queue: queueWith(busy), ...behind(11, 5) }),
      NOW + 6_000,
    ],
    [
      "express, while standard waits: its cap and the burst",
      factsWith(
        { weight: 9 },
        { queue: queueWith({ usage: { express: 2, standard: 2, burst: 4 } }), ...behind(11, 0) },
      ),
      NOW + 2_000,
    ],
    [
      "express alone: all",
      factsWith(
        { weight: 9 },
        { queue: queueWith({ usage: { express: 4, standard: 0, burst: 4 }, standardWaits: false }), ...behind(7, 0) },
      ),
      NOW + 1_000,
    ],
    [
      "one lane: all slots",
      factsWith({ weight: 9 }, { queue: queueWith({ policy: "strict", ...busy }), ...behind(11, 0) }),
      NOW + 3_000,
    ],
    ["nothing measured yet", factsWith({}, { queue: queueWith({ ...busy, meanRun: null }) }), null],
    ["a queue unknown here", factsWith({}, { queue: null, position: null }), null],
    ["paused", factsWith({}, { queue: queueWith({ paused: { by: "ann", at: START } }) }), null],
    ["paused and delayed", factsWith(delayed, { queue: queueWith({ paused: { by: "ann", at: START } }) }), null],
    ["no node", factsWith(delayed, { nodes: { alive: 0, knowing: 0, dispatching: false } }), null],
    ["running", running(), null],
    ["ended", ended("dead", { lastError: error }), null],
  ])("estimate: %s", (_name, facts, estimate) => {
    expect(explain(facts).estimate).toBe(estimate);
  });
});

describe("the trouble tables", () => {
  const codesOf = (facts: WhyFacts) => explain(facts).reasons.map(({ code }) => code);

  test("an urgent task does not start: each cause is named, and only it", () => {
    const urgent = { weight: 10 } as const;
    const blocks = (changes: Partial<WhyFacts>) =>
      codesOf(factsWith(urgent, changes)).filter((code) => code !== "aging" && code !== "flattened");
    expect(
      blocks({ queue: queueWith({ usage: { express: 2, standard: 2, burst: 4 }, standardWaits: false }) }),
    ).toEqual(["slots"]);
    expect(blocks({ queue: queueWith({ usage: { express: 2, standard: 1, burst: 4 } }) })).toEqual(["share"]);
    expect(blocks({ type: { ...openType, running: 3 } })).toEqual(["type_bound"]);
    expect(blocks({ queue: queueWith({ paused: { by: "ann", at: START } }) })).toEqual(["paused_queue"]);
    expect(blocks({ nodes: { alive: 1, knowing: 0, dispatching: true }, type: null })).toEqual(["no_node_knows_type"]);
    expect(blocks({ position: { ahead: 2, express: 0, limit: 1_000 } })).toEqual(["ahead"]);
  });

  test("a low task is starved: its bound, what is kept for it, and an estimate", () => {
    const facts = factsWith(
      { weight: 1 },
      { queue: queueWith({ usage: full }), position: { ahead: 40, express: 100, limit: 1_000 } },
    );
    expect(codesOf(facts)).toEqual(["slots", "express_first", "ahead", "aging"]);
    expect(explain(facts).estimate).toBe(NOW + 20_500);
  });

  test("same priority out of order: since when its place counts", () => {
    expect(
      codesOf(factsWith({ weight: 2, since: START + 3_000, attempt: 1 }, { attempts: [attemptWith(1, "snoozed")] })),
    ).toContain("place");
  });

  test("succeeded yet retried, executed twice, the double report", () => {
    const facts = ended(
      "succeeded",
      { attempt: 2 },
      {
        attempts: [attemptWith(1, "lost"), attemptWith(2, "succeeded", { node: nodeId("n2") })],
        refused: [{ at: START + 9_000, attempt: 1, outcome: "succeeded" }],
      },
    );
    expect(codesOf(facts)).toEqual([
      "ended_succeeded",
      "attempt_lost",
      "attempt_succeeded",
      "late_answer",
      "ran_twice",
    ]);
  });

  test("tasks lost when full: a waiting one says that it is safe", () => {
    expect(explain(factsWith({}, { queue: queueWith({ usage: full }) })).reasons[0]?.text).toMatch(
      /stays safe in the ledger/,
    );
  });

  test("the consumer is dead, before and during the run", () => {
    expect(codesOf(factsWith({}, { nodes: { alive: 0, knowing: 0, dispatching: false } }))[0]).toBe("no_node_alive");
    expect(codesOf(running({}, { holder: { ...healthyHolder, provenDead: true } }))).toContain("node_dead");
  });

  test("dispatched without an answer, running on an expired lease", () => {
    const silent = { ...healthyHolder, silence: 90_000 };
    expect(codesOf(running({ startedAt: null, attempt: 0 }, { holder: silent }))).toEqual([
      "dispatched",
      "lease_expired",
    ]);
    const text = explain(running({}, { holder: silent })).reasons[1]?.text;
    expect(text).toMatch(
      /^shop-1:4242 has been silent for 1m30s, longer than its lease of 1m: .*refused.*takes its tasks over/,
    );
  });

  test("due but still waiting: late and by what", () => {
    expect(codesOf(factsWith({ dueAt: NOW - 8_000, seq: null, since: null }))).toEqual(["due"]);
    expect(codesOf(factsWith({ weight: 2 }, { queue: { ...freeQueue, usage: full } }))[0]).toBe("slots");
  });
});
