import { ATTEMPT_OUTCOMES, matches, predicateOf, STORED_STATES, VIEW_STATES, viewOf } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endedTask, runningTask, START, taskWith } from "./models/tasks.ts";

const now = START + 1_000;

describe("viewOf (C2)", () => {
  test.each([
    ["waiting", taskWith()],
    ["waiting", taskWith({ dueAt: now })],
    ["delayed", taskWith({ dueAt: now + 1 })],
    ["delayed", taskWith({ dueAt: now + 1, attempt: 1, lastOutcome: "snoozed" })],
    ["waiting", taskWith({ attempt: 1, lastOutcome: "released" })],
    ["retrying", taskWith({ dueAt: now + 1, attempt: 1, failures: 1, lastOutcome: "failed" })],
    ["retrying", taskWith({ attempt: 2, failures: 1, lastOutcome: "released" })],
    ["dispatched", runningTask({ startedAt: null, attempt: 0 })],
    ["running", runningTask()],
    ["succeeded", endedTask("succeeded")],
    ["dead", endedTask("dead", { lastOutcome: "timed_out" })],
    ["cancelled", endedTask("cancelled")],
  ] as const)("%s", (view, task) => {
    expect(viewOf(task, now)).toBe(view);
  });
});

/** Every task is found by its own names, and the names mean what the semantics say, in plain words. */
test("filters find exactly what their names say", () => {
  const tasks = fc.record({
    state: fc.constantFrom(...STORED_STATES),
    dueAt: fc.integer({ min: now - 2, max: now + 2 }),
    failures: fc.integer({ min: 0, max: 2 }),
    startedAt: fc.constantFrom(null, START),
    lastOutcome: fc.constantFrom(null, ...ATTEMPT_OUTCOMES),
  });
  fc.assert(
    fc.property(tasks, (facts) => {
      const task = taskWith(facts);
      const found = new Set(VIEW_STATES.filter((state) => matches(predicateOf(state), task, now)));
      expect(found.has(viewOf(task, now))).toBe(true);
      for (const state of STORED_STATES) expect(found.has(state)).toBe(task.state === state);
      expect(found.has("delayed")).toBe(task.state === "waiting" && task.dueAt > now);
      expect(found.has("retrying")).toBe(task.state === "waiting" && task.failures > 0);
      expect(found.has("dispatched")).toBe(task.state === "running" && task.startedAt === null);
      expect(found.has("suspended")).toBe(false);
      const stopped = task.state === "waiting" || task.state === "dead" || task.state === "cancelled";
      expect(found.has("failed")).toBe(stopped && task.lastOutcome === "failed");
      expect(found.has("timed_out")).toBe(stopped && task.lastOutcome === "timed_out");
    }),
  );
});

test("a predicate's due part can ask for the past as well", () => {
  expect(matches({ stored: ["waiting"], due: "past" }, taskWith({ dueAt: now }), now)).toBe(true);
  expect(matches({ stored: ["waiting"], due: "past" }, taskWith({ dueAt: now + 1 }), now)).toBe(false);
  expect(matches({ stored: ["running"], started: true }, runningTask(), now)).toBe(true);
  expect(matches({ stored: ["running"], started: true }, runningTask({ startedAt: null }), now)).toBe(false);
});
