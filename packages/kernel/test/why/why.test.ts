import { explain, WHY_CODES, type WhyCode, type WhyFacts } from "@giveway/kernel";
import { describe, expect, test } from "vitest";
import { endedTask, runningTask, START } from "../models/tasks.ts";
import { attemptWith, changeWith, factsWith, healthyHolder, NOW, openType, queueWith } from "../models/why-facts.ts";

const full = { express: 1, standard: 3, burst: 0 };
const delayed = { dueAt: NOW + 4_000, seq: null, since: null } as const;
const error = { name: "RemoteError", message: "503 from the warehouse\nand more" };
const running = (task = {}, changes: Partial<WhyFacts> = {}) =>
  factsWith({}, { task: runningTask(task), holder: healthyHolder, position: null, ...changes });
const ended = (state: "succeeded" | "dead" | "cancelled", task = {}, changes: Partial<WhyFacts> = {}) =>
  factsWith({}, { task: endedTask(state, task), position: null, ...changes });

/** Facts, the codes that come first, and a part of the first one's text. */
const cases: [string, WhyFacts, WhyCode[], RegExp][] = [
  // Before its due time.
  ["due later", factsWith(delayed), ["due_time"], /^It is due at 2026-03-01T09:00:14\.000Z \(in 4s\)\.$/],
  [
    "waits for a retry",
    factsWith({ ...delayed, failures: 2, attempt: 2, lastOutcome: "failed", lastError: error }),
    ["retry_wait"],
    /^Attempt 2 ended as failed \(RemoteError: 503 from the warehouse\); retry 2 of 3 is due at .* \(in 4s\)\. It holds no slot/,
  ],
  [
    "waits for a retry of unknown number",
    factsWith({ ...delayed, failures: 1, attempt: 1, lastOutcome: "timed_out" }, { maxRetries: null }),
    ["retry_wait"],
    /^Attempt 1 ended as timed_out; retry 1 is due/,
  ],
  [
    "put itself off",
    factsWith({ ...delayed, attempt: 1, failures: 1, lastOutcome: "snoozed" }),
    ["snooze_wait"],
    /put itself off until .*no retry/,
  ],
  [
    "due later in a paused queue",
    factsWith(delayed, { queue: queueWith({ paused: { by: "ann", at: START } }) }),
    ["due_time", "paused_queue"],
    /due at/,
  ],
  [
    "due since a moment, not moved yet",
    factsWith({ dueAt: NOW - 40, seq: null, since: null }),
    ["due"],
    /due for 40ms; the next claim of queue orders/,
  ],
  // What stops it altogether.
  [
    "paused queue",
    factsWith({}, { queue: queueWith({ paused: { by: "ann", at: START } }) }),
    ["paused_queue"],
    /^Queue orders was paused by ann at .* \(10s ago\); resume it\.$/,
  ],
  [
    "paused type",
    factsWith({}, { type: { ...openType, paused: { by: "bob", at: START } } }),
    ["paused_type"],
    /^Type close_order was paused by bob/,
  ],
  [
    "both paused",
    factsWith(
      {},
      {
        queue: queueWith({ paused: { by: "ann", at: START } }),
        type: { ...openType, paused: { by: "bob", at: START } },
      },
    ),
    ["paused_queue", "paused_type"],
    /./,
  ],
  [
    "no node",
    factsWith({}, { nodes: { alive: 0, knowing: 0, dispatching: false }, queue: null, type: null }),
    ["no_node_alive"],
    /No node is alive/,
  ],
  [
    "nobody knows the type",
    factsWith({}, { nodes: { alive: 2, knowing: 0, dispatching: true }, type: null }),
    ["no_node_knows_type"],
    /^2 nodes are alive, but none has a handler for type close_order/,
  ],
  [
    "nobody knows the type, one node",
    factsWith({}, { nodes: { alive: 1, knowing: 0, dispatching: true }, type: null }),
    ["no_node_knows_type"],
    /^1 node is alive/,
  ],
  [
    "type stopped by zombies",
    factsWith({}, { type: { ...openType, zombies: 4, stopped: true } }),
    ["type_stopped"],
    /^4 handlers of type close_order went on after a time-out and fill its slots/,
  ],
  [
    "type stopped here only",
    factsWith(
      {},
      { type: { ...openType, zombies: 1, stopped: true }, nodes: { alive: 2, knowing: 2, dispatching: true } },
    ),
    ["type_stopped"],
    /^1 handler .* fills its slots/,
  ],
  [
    "not this node",
    factsWith({}, { type: null, nodes: { alive: 3, knowing: 2, dispatching: true } }),
    ["elsewhere"],
    /^This node can't start it\. 2 nodes have a handler/,
  ],
  [
    "a node that only submits",
    factsWith({}, { nodes: { alive: 1, knowing: 1, dispatching: false } }),
    ["elsewhere"],
    /1 node has a handler/,
  ],
  // What it waits for.
  [
    "type bound",
    factsWith({}, { type: { ...openType, running: 3 } }),
    ["type_bound"],
    /^3 of at most 3 tasks of type close_order run/,
  ],
  [
    "slots, standard",
    factsWith({}, { queue: queueWith({ usage: full }) }),
    ["slots"],
    /^4 of 4 slots of queue orders are taken \(express 1, standard 3\); it stays safe in the ledger/,
  ],
  [
    "slots, express, burst used up",
    factsWith({ weight: 9 }, { queue: queueWith({ usage: { express: 1, standard: 3, burst: 4 } }) }),
    ["slots"],
    /^4 of 4 slots and 4 of 4 burst slots of queue orders/,
  ],
  [
    "slots, all may burst",
    factsWith({}, { queue: queueWith({ burstFor: "all", usage: { express: 1, standard: 3, burst: 4 } }) }),
    ["slots"],
    /burst slots/,
  ],
  [
    "slots and share at once",
    factsWith({ weight: 9 }, { queue: queueWith({ usage: { express: 2, standard: 2, burst: 4 } }) }),
    ["slots", "share"],
    /./,
  ],
  [
    "share",
    factsWith({ weight: 9 }, { queue: queueWith({ usage: { express: 2, standard: 1, burst: 4 } }) }),
    ["share"],
    /^Express holds 2 of the 2 slots it may have of 4: standard work waits for the rest\.$/,
  ],
  [
    "isolated express",
    factsWith(
      { weight: 9 },
      { queue: queueWith({ policy: "isolated", usage: { express: 2, standard: 0, burst: 0 }, standardWaits: false }) },
    ),
    ["share"],
    /the lanes lend each other none/,
  ],
  [
    "isolated standard",
    factsWith({}, { queue: queueWith({ policy: "isolated", usage: { express: 0, standard: 2, burst: 0 } }) }),
    ["slots"],
    /./,
  ],
  [
    "express first",
    factsWith({}, { queue: queueWith({ usage: full }), position: { ahead: 3, express: 7, limit: 1_000 } }),
    ["slots", "express_first", "ahead"],
    /./,
  ],
  [
    "express first alone",
    factsWith({}, { position: { ahead: 0, express: 1, limit: 1_000 } }),
    ["express_first"],
    /^1 express task waits and may hold 2 of 4 slots while standard work waits/,
  ],
  [
    "ahead",
    factsWith({}, { position: { ahead: 12, express: 0, limit: 1_000 } }),
    ["ahead"],
    /^12 tasks of its lane start before it\.$/,
  ],
  [
    "one ahead",
    factsWith({}, { position: { ahead: 1, express: 0, limit: 1_000 } }),
    ["ahead"],
    /^1 task of its lane starts before it\.$/,
  ],
  [
    "many ahead",
    factsWith({}, { position: { ahead: 1_000, express: 0, limit: 1_000 } }),
    ["ahead"],
    /^at least 1000 tasks/,
  ],
  [
    "nothing in the way",
    factsWith(),
    ["next"],
    /^Nothing blocks it: it has been ready for 10s and starts with the next claim of queue orders\.$/,
  ],
  [
    "express beside its cap while no standard waits",
    factsWith(
      { weight: 9 },
      { queue: queueWith({ usage: { express: 3, standard: 0, burst: 0 }, burst: 4, standardWaits: false }) },
    ),
    ["next"],
    /./,
  ],
  [
    "express with a burst slot free",
    factsWith({ weight: 9 }, { queue: queueWith({ usage: { express: 2, standard: 2, burst: 3 } }) }),
    ["next"],
    /./,
  ],
  // It runs.
  [
    "running",
    running({}, { local: { phase: "running", startedAt: START + 10, timeoutAt: NOW + 50_000 } }),
    ["running", "lease_held", "time_out"],
    /^Attempt 1 runs on shop-1:4242 since .* \(10s ago\)\.$/,
  ],
  [
    "running over its time",
    running({}, { local: { phase: "running", startedAt: START + 10, timeoutAt: NOW - 500 } }),
    ["running", "lease_held", "time_out"],
    /./,
  ],
  [
    "running, start not recorded yet",
    running({ startedAt: null, attempt: 0 }, { local: { phase: "running", startedAt: START + 900, timeoutAt: null } }),
    ["running", "lease_held"],
    /^Attempt 1 runs on/,
  ],
  [
    "dispatched",
    running({ startedAt: null, attempt: 0 }),
    ["dispatched", "lease_held"],
    /^shop-1:4242 claimed it at .* and has not recorded its start/,
  ],
  [
    "dispatched, prefetched here",
    running({ startedAt: null }, { local: { phase: "prefetched", startedAt: null, timeoutAt: null } }),
    ["dispatched", "lease_held"],
    /./,
  ],
  [
    "on an expired lease",
    running({}, { holder: { ...healthyHolder, silence: 75_000 } }),
    ["running", "lease_expired"],
    /./,
  ],
  [
    "on a lease just expired",
    running({}, { holder: { ...healthyHolder, silence: 60_000 } }),
    ["running", "lease_expired"],
    /./,
  ],
  [
    "on a declared dead node",
    running({}, { holder: { ...healthyHolder, declaredDead: true } }),
    ["running", "node_dead"],
    /./,
  ],
  [
    "on a proven dead node",
    running({}, { holder: { ...healthyHolder, provenDead: true } }),
    ["running", "node_dead"],
    /./,
  ],
  ["on a node nobody knows", running({}, { holder: null }), ["running", "node_unknown"], /^Attempt 1 runs on n1/],
  [
    "running again beside a zombie",
    running({ attempt: 2 }, { local: { phase: "zombie", startedAt: START, timeoutAt: null } }),
    ["running", "lease_held", "zombie"],
    /./,
  ],
  // It ended.
  [
    "succeeded",
    ended("succeeded"),
    ["ended_succeeded"],
    /^Attempt 1 succeeded\. It ended at 2026-03-01T09:00:00\.500Z \(10s ago\)\.$/,
  ],
  [
    "not retryable",
    ended("dead", { endReason: "not_retryable", lastError: error }),
    ["ended_not_retryable"],
    /a repeat can't cure \(RemoteError: 503 from the warehouse\)/,
  ],
  [
    "retries exhausted",
    ended("dead", { failures: 3, attempt: 4, lastError: error }),
    ["ended_retries_exhausted"],
    /^It is dead: 3 retries used up, the last error was RemoteError/,
  ],
  [
    "one retry exhausted",
    ended("dead", { failures: 1, lastError: error }),
    ["ended_retries_exhausted"],
    /1 retry used up/,
  ],
  [
    "invalid payload",
    ended("dead", { endReason: "invalid_payload", lastError: error }),
    ["ended_invalid_payload"],
    /does not fit type close_order/,
  ],
  ["poison", ended("dead", { endReason: "poison", losses: 3 }), ["ended_poison"], /3 nodes died while they ran it/],
  [
    "cancelled",
    ended("cancelled", {}, { changes: [changeWith("cancelled", START + 500)] }),
    ["ended_by_hand"],
    /^It was cancelled by ann \(call from the shop\)\./,
  ],
  ["cancelled, history gone", ended("cancelled"), ["ended_by_hand"], /by somebody/],
  [
    "cancelled, not ended yet",
    ended("cancelled", {}, { local: { phase: "settling", startedAt: START, timeoutAt: null } }),
    ["ended_by_hand", "settling"],
    /./,
  ],
  [
    "expired",
    ended("cancelled", { endReason: "expired", overrides: { expires: START + 400 } }),
    ["ended_expired"],
    /had not started by 2026-03-01T09:00:00\.400Z/,
  ],
  ["shed", ended("cancelled", { endReason: "shed" }), ["ended_shed"], /its id is free again/],
  ["replaced", ended("cancelled", { endReason: "replaced" }), ["ended_replaced"], /took its place/],
  [
    "dead with a zombie",
    ended(
      "dead",
      { lastOutcome: "timed_out", lastError: error },
      { local: { phase: "zombie", startedAt: START, timeoutAt: null } },
    ),
    ["ended_retries_exhausted", "zombie"],
    /./,
  ],
];

describe("explain", () => {
  test.each(cases)("%s", (_name, facts, codes, text) => {
    const { reasons } = explain(facts);
    expect(reasons.map(({ code }) => code).slice(0, codes.length)).toEqual(codes);
    expect(reasons[0]?.text).toMatch(text);
    for (const reason of reasons) {
      expect(reason.text).not.toMatch(/undefined|null|NaN|\[object|Infinity/);
      expect(reason.text).toMatch(/\.$/);
    }
  });

  test("says nothing beyond what is so: a free queue names no slots, a held lease no trouble", () => {
    expect(explain(factsWith()).reasons.map(({ code }) => code)).toEqual(["next", "aging", "flattened"]);
    expect(explain(running()).reasons.map(({ code }) => code)).toEqual(["running", "lease_held"]);
    expect(explain(ended("succeeded")).reasons.map(({ code }) => code)).toEqual(["ended_succeeded"]);
  });

  test("lists attempts, refused answers and changes, newest last", () => {
    const facts = ended(
      "succeeded",
      { attempt: 8 },
      {
        attempts: [
          attemptWith(1, "failed", { error }),
          attemptWith(2, "timed_out"),
          attemptWith(3, "lost"),
          attemptWith(4, "gave_way"),
          attemptWith(5, "released"),
          attemptWith(6, "snoozed"),
          attemptWith(7, "cancelled"),
          attemptWith(8, "succeeded", { node: null, startedAt: null }),
          attemptWith(9, null),
        ],
        refused: [
          { at: START + 3_000, attempt: 3, outcome: "succeeded" },
          { at: START, attempt: null, outcome: "failed" },
        ],
        changes: [changeWith("rerun", START + 8_000), { ...changeWith("reweighted", START + 9_000), cause: null }],
      },
    );
    const { reasons } = explain(facts);
    expect(reasons.map(({ code }) => code)).toEqual([
      "ended_succeeded",
      "attempt_failed",
      "attempt_timed_out",
      "attempt_lost",
      "attempt_gave_way",
      "attempt_released",
      "attempt_snoozed",
      "attempt_cancelled",
      "attempt_succeeded",
      "late_answer",
      "late_answer",
      "ran_twice",
      "changed",
      "changed",
    ]);
    const texts = reasons.map(({ text }) => text);
    expect(texts[1]).toBe("Attempt 1 on n1 ended as failed after 500ms: RemoteError: 503 from the warehouse.");
    expect(texts[8]).toBe("Attempt 8 ended as succeeded.");
    expect(texts[9]).toMatch(/^Attempt 3 reported succeeded at .*fencing token was out of date/);
    expect(texts[10]).toMatch(/^An attempt reported failed/);
    expect(texts[11]).toMatch(/^Attempt 2, 3, 5, 7 started and may have done its work.*request-1/);
    expect(texts[12]).toMatch(/^It was rerun by ann at .* \(call from the shop\)\.$/);
    expect(texts[13]).toMatch(/^It was reweighted by ann at .* ago\)\.$/);
  });

  test("tells at most 20 attempts and changes, the newest", () => {
    const attempts = Array.from({ length: 50 }, (_, n) => attemptWith(n + 1, "snoozed"));
    const changes = Array.from({ length: 50 }, (_, n) => changeWith("edited", START + n));
    const { reasons } = explain(ended("dead", { attempt: 50, lastError: error }, { attempts, changes }));
    expect(reasons.filter(({ code }) => code === "attempt_snoozed")).toHaveLength(20);
    expect(reasons.filter(({ code }) => code === "changed")).toHaveLength(20);
    expect(reasons.at(20)?.text).toMatch(/^Attempt 50 /);
  });

  test.each([
    ["the last attempt alone, of a dead task", { attempt: 1 }, [attemptWith(1, "timed_out")], false],
    ["a clean retry", { attempt: 2 }, [attemptWith(1, "failed"), attemptWith(2, "succeeded")], false],
    ["an earlier loss", { attempt: 2 }, [attemptWith(1, "lost"), attemptWith(2, "lost")], true],
    ["a doubtful start", { attempt: 1, noPrefetch: true }, [attemptWith(1, "succeeded")], true],
  ])("ran_twice: %s", (_name, task, attempts, told) => {
    const { reasons } = explain(ended("dead", { ...task, lastError: error }, { attempts }));
    expect(reasons.some(({ code }) => code === "ran_twice")).toBe(told);
  });

  test("ran_twice counts the last attempt too where the task will start again", () => {
    const { reasons } = explain(factsWith({ attempt: 1, failures: 1 }, { attempts: [attemptWith(1, "lost")] }));
    expect(reasons.find(({ code }) => code === "ran_twice")?.text).toMatch(/^Attempt 1 started/);
  });

  test("every code can be told", () => {
    const told = new Set(cases.flatMap(([, facts]) => explain(facts).reasons.map(({ code }) => code)));
    for (const code of [
      "attempt_succeeded",
      "attempt_failed",
      "attempt_timed_out",
      "attempt_lost",
      "attempt_gave_way",
      "attempt_released",
      "attempt_snoozed",
      "attempt_cancelled",
      "late_answer",
      "ran_twice",
    ] as const)
      told.add(code);
    for (const code of ["place", "expires"] as const) told.add(code);
    expect([...told].sort()).toEqual(Object.keys(WHY_CODES).sort());
  });
});
