import {
  assertRemovable,
  type ChangeActor,
  decideCancel,
  decideEdit,
  decideExpire,
  decideReplace,
  decideRerun,
  decideReweight,
  hasExpired,
  type Policy,
  queueName,
  seq,
  type Weight,
} from "@giveway/kernel";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../models/refusal.ts";
import { endedTask, runningTask, START, taskWith } from "../models/tasks.ts";

const now = START + 1_000;
const ann: ChangeActor = { by: "ann", cause: "call from the shop" };
const express = { policy: "express" } as const;
const delayed = { dueAt: now + 60_000, seq: null, since: null };

describe("decideCancel", () => {
  test("a waiting task is cancelled, and nobody has to be told", () => {
    expect(decideCancel(taskWith(), now, ann)).toEqual({
      patch: { state: "cancelled", endedAt: now, endReason: "by_hand" },
      record: {
        at: now,
        by: "ann",
        kind: "cancelled",
        before: '"waiting"',
        after: '"cancelled"',
        cause: "call from the shop",
      },
      archive: false,
      signal: null,
    });
  });

  test("a running one ends its attempt as cancelled and is signalled", () => {
    expect(decideCancel(runningTask(), now, ann)).toMatchObject({
      patch: { state: "cancelled", endedAt: now, endReason: "by_hand", lastOutcome: "cancelled" },
      signal: "cancelled",
    });
  });

  test("one only claimed has no attempt to end", () => {
    const { patch, signal } = decideCancel(runningTask({ startedAt: null }), now, ann);
    expect(patch).toEqual({ state: "cancelled", endedAt: now, endReason: "by_hand" });
    expect(signal).toBe("cancelled");
  });

  test.each(["succeeded", "dead", "cancelled"] as const)(
    "a task that is %s refuses, naming itself and its state",
    (state) => {
      expect(refusalOf(() => decideCancel(endedTask(state), now, ann))).toMatchObject({
        code: "wrong_state",
        subject: "close-10086",
        message: `task close-10086 is ${state} and can't be cancelled`,
      });
    },
  );
});

describe("decideExpire", () => {
  const late = taskWith({ overrides: { expires: now } });

  test("ends a waiting task whose expiry has come, by the system", () => {
    expect(decideExpire(late, now)).toMatchObject({
      patch: { state: "cancelled", endedAt: now, endReason: "expired" },
      record: { by: "system", kind: "expired" },
    });
  });

  test("not before, not without, and not what was started or is claimed", () => {
    expect(decideExpire(late, now - 1)).toBeNull();
    expect(decideExpire(taskWith(), now)).toBeNull();
    expect(decideExpire({ ...late, attempt: 1 }, now)).toBeNull();
    expect(decideExpire(runningTask({ overrides: { expires: now }, attempt: 0, startedAt: null }), now)).toBeNull();
    expect(hasExpired(late, now)).toBe(true);
    expect(hasExpired(late, now - 1)).toBe(false);
  });
});

describe("decideReweight (section 5)", () => {
  const cases: [string, Policy, Weight, Weight, "keep" | "anew"][] = [
    ["within standard", "express", 3, 6, "keep"],
    ["within express", "express", 7, 10, "keep"],
    ["down within express", "express", 10, 7, "keep"],
    ["entering express", "express", 6, 7, "anew"],
    ["leaving express", "express", 7, 6, "keep"],
    ["entering express under rotation", "rotation", 5, 8, "anew"],
    ["entering express under isolated", "isolated", 5, 8, "anew"],
    ["across 7 where there is one lane: ladder", "ladder", 5, 9, "keep"],
    ["across 7 where there is one lane: strict", "strict", 5, 9, "keep"],
    ["across 7 where there is one lane: fifo", "fifo", 9, 2, "keep"],
  ];
  test.each(cases)("%s", (_name, policy, from, to, place) => {
    expect(decideReweight(taskWith({ weight: from }), to, { policy }, now, ann)).toEqual({
      patch: { weight: to, place },
      record: {
        at: now,
        by: "ann",
        kind: "reweighted",
        before: `{"weight":${from}}`,
        after: `{"weight":${to}}`,
        cause: "call from the shop",
      },
      archive: false,
      signal: null,
    });
  });

  test("a running task keeps running, its node is told", () => {
    expect(decideReweight(runningTask(), 9, express, now, ann)).toMatchObject({
      patch: { weight: 9 },
      signal: "reweighted",
    });
    expect(decideReweight(runningTask(), 9, express, now, ann)?.patch).not.toHaveProperty("place");
  });

  test("the same weight is nothing to do", () => {
    expect(decideReweight(taskWith(), 5, express, now, ann)).toBeNull();
    expect(decideReweight(runningTask(), 5, express, now, ann)).toBeNull();
  });

  test("nothing automatic takes a task out of express; raising and lowering within are free (B6)", () => {
    const rule = { policy: "express", automatic: true } as const;
    expect(decideReweight(taskWith({ weight: 8 }), 5, rule, now, ann)).toBeNull();
    expect(decideReweight(taskWith({ weight: 8 }), 7, rule, now, ann)?.patch.weight).toBe(7);
    expect(decideReweight(taskWith({ weight: 5 }), 8, rule, now, ann)?.patch).toEqual({ weight: 8, place: "anew" });
    expect(decideReweight(taskWith({ weight: 5 }), 2, rule, now, ann)?.patch).toEqual({ weight: 2, place: "keep" });
    expect(decideReweight(runningTask({ weight: 8 }), 5, rule, now, ann)).toBeNull();
    expect(
      decideReweight(taskWith({ weight: 9 }), 2, { policy: "strict", automatic: true }, now, ann)?.patch.weight,
    ).toBe(2);
  });

  test.each(["succeeded", "dead", "cancelled"] as const)("a task that is %s refuses", (state) => {
    expect(refusalOf(() => decideReweight(endedTask(state), 9, express, now, ann)).message).toBe(
      `task close-10086 is ${state} and can't be changed in its weight`,
    );
  });
});

describe("decideEdit (C17)", () => {
  test("changes all that is given in one write, with what was and what is", () => {
    const input = { payload: '{"orderId":2}', name: "close unpaid order", weight: 8, dueAt: now + 5_000 } as const;
    expect(decideEdit(taskWith(), input, express, now, ann)).toEqual({
      patch: { ...input, place: "anew" },
      record: {
        at: now,
        by: "ann",
        kind: "edited",
        before: `{"weight":5,"payload":{"orderId":10086},"name":null,"dueAt":${START}}`,
        after: `{"weight":8,"payload":{"orderId":2},"name":"close unpaid order","dueAt":${now + 5_000}}`,
        cause: "call from the shop",
      },
      archive: false,
      signal: null,
    });
  });

  test("leaves out what would not differ, and is nothing to do where nothing does", () => {
    const input = { payload: '{"orderId":10086}', name: "new", weight: 5 } as const;
    expect(decideEdit(taskWith(), input, express, now, ann)?.patch).toEqual({ name: "new", place: "keep" });
    expect(decideEdit(taskWith({ name: "new" }), input, express, now, ann)).toBeNull();
    expect(decideEdit(taskWith({ name: "new" }), { name: null }, express, now, ann)?.patch).toEqual({
      name: null,
      place: "keep",
    });
    expect(decideEdit(taskWith(), {}, express, now, ann)).toBeNull();
  });

  test.each([
    ["a ready task put off", {}, now + 5_000, "anew"],
    ["a ready task, due earlier", {}, now - 5_000, "keep"],
    ["a ready task, due now", {}, now, "keep"],
    ["a delayed task made due", delayed, now, "anew"],
    ["a delayed task put off further", delayed, now + 90_000, "anew"],
  ] as const)("%s", (_name, facts, dueAt, place) => {
    expect(decideEdit(taskWith(facts), { dueAt }, express, now, ann)).toMatchObject({
      patch: { dueAt, place },
      record: { kind: "rescheduled" },
    });
  });

  test("a payload or name alone keeps the place", () => {
    expect(decideEdit(taskWith(), { payload: "2" }, express, now, ann)).toMatchObject({
      patch: { payload: "2", place: "keep" },
      record: { kind: "edited" },
    });
    expect(decideEdit(taskWith(delayed), { name: "x" }, express, now, ann)?.patch).toEqual({
      name: "x",
      place: "keep",
    });
  });

  test("a dead task's payload and name can be corrected, where it stands", () => {
    expect(decideEdit(endedTask("dead"), { payload: "2", name: "x" }, express, now, ann)?.patch).toEqual({
      payload: "2",
      name: "x",
    });
  });

  test.each([
    [runningTask(), { payload: "2" }, "running and can't be changed in its payload"],
    [runningTask(), { weight: 9, name: "x" }, "running and can't be changed in its name"],
    [runningTask(), { dueAt: 5 }, "running and can't be changed in its due time"],
    [endedTask("dead"), { dueAt: 5 }, "dead and can't be changed in its due time"],
    [endedTask("dead"), { weight: 9 }, "dead and can't be changed in its weight"],
    [endedTask("succeeded"), { payload: "2" }, "succeeded and can't be changed in its payload"],
    [endedTask("cancelled"), { name: "x" }, "cancelled and can't be changed in its name"],
    // Even where it would not differ: the caller learns that it can't.
    [endedTask("succeeded"), { name: null }, "succeeded and can't be changed in its name"],
  ] as const)("refuses what the state forbids, the whole of it", (task, input, fault) => {
    expect(refusalOf(() => decideEdit(task, input, express, now, ann))).toMatchObject({
      code: "wrong_state",
      message: `task close-10086 is ${fault}`,
    });
  });
});

describe("decideRerun", () => {
  test.each(["dead", "cancelled"] as const)("continues a %s task with all retries granted anew", (state) => {
    const task = endedTask(state, { failures: 3, losses: 2, attempt: 4 });
    expect(decideRerun(task, { dueAt: now }, now, ann)).toEqual({
      patch: { state: "waiting", dueAt: now, place: "anew", failures: 0, losses: 0, endedAt: null, endReason: null },
      record: {
        at: now,
        by: "ann",
        kind: "rerun",
        cause: "call from the shop",
        before: JSON.stringify({ state, reason: task.endReason }),
        after: '{"state":"waiting","payload":"kept"}',
      },
      archive: true,
      signal: null,
    });
  });

  test("with another payload, later, named as redriven", () => {
    const decision = decideRerun(endedTask("dead"), { payload: "2", dueAt: now + 5_000, kind: "redriven" }, now, ann);
    expect(decision).toMatchObject({
      patch: { payload: "2", dueAt: now + 5_000 },
      record: { kind: "redriven", after: '{"state":"waiting","payload":"replaced"}' },
    });
    expect(decision.patch).not.toHaveProperty("requestId");
  });

  test("archives an attempt only where the row holds one", () => {
    expect(decideRerun(endedTask("cancelled", { startedAt: null }), { dueAt: now }, now, ann).archive).toBe(false);
  });

  test("drops an expiry that would end it at once, and keeps one ahead and the rest", () => {
    const overrides = { expires: now + 4_000, timeout: 5_000 };
    const again = (dueAt: number, at = now) =>
      decideRerun(endedTask("cancelled", { overrides }), { dueAt }, at, ann).patch;
    expect(again(now + 4_000).overrides).toEqual({ timeout: 5_000 });
    expect(again(now, now + 4_000).overrides).toEqual({ timeout: 5_000 });
    expect(again(now)).not.toHaveProperty("overrides");
  });

  test.each([taskWith(), runningTask(), endedTask("succeeded")])("refuses others", (task) => {
    expect(refusalOf(() => decideRerun(task, { dueAt: now }, now, ann)).message).toBe(
      `task close-10086 is ${task.state} and can't be run again`,
    );
  });
});

describe("decideReplace (onDuplicate: replace)", () => {
  const incoming = {
    queue: queueName("orders"),
    name: "second",
    weight: 8,
    payload: "2",
    overrides: { timeout: 5_000 },
    requestId: "request-2",
    dueAt: now + 5_000,
  } as const;

  test("puts everything new in place of a task never started", () => {
    const { queue: _queue, ...fields } = incoming;
    expect(decideReplace(taskWith(), incoming, now, ann)).toMatchObject({
      patch: { state: "waiting", place: "anew", ...fields },
      record: { kind: "replaced" },
      archive: false,
      signal: null,
    });
    expect(decideReplace(taskWith(delayed), incoming, now, ann).patch.payload).toBe("2");
  });

  test.each([
    [runningTask(), /is running and can't be replaced$/],
    [endedTask("dead"), /is dead and can't be replaced$/],
    [taskWith({ attempt: 1, failures: 1 }), /was started before \(attempt 1\)/],
    [taskWith({ queue: queueName("mail"), seq: seq(4) }), /lies in queue mail, not orders/],
  ])("refuses with the reason", (task, reason) => {
    const error = refusalOf(() => decideReplace(task, incoming, now, ann));
    expect(error.code).toBe("wrong_state");
    expect(error.message).toMatch(reason);
  });
});

test("assertRemovable lets go of all but running tasks", () => {
  for (const task of [taskWith(), endedTask("succeeded"), endedTask("dead"), endedTask("cancelled")])
    assertRemovable(task);
  expect(refusalOf(() => assertRemovable(runningTask())).message).toBe(
    "task close-10086 is running and can't be removed; cancel it first",
  );
});
