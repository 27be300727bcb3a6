import {
  assertRemovable,
  type ChangeActor,
  type ChangeDecision,
  decideCancel,
  decideEdit,
  decideExpire,
  decideReplace,
  decideRerun,
  decideReweight,
  moveOf,
  type RunFacts,
  type Settlement,
  STORED_STATES,
  type StoredState,
  settleExpired,
  settleFailure,
  settleGiveWay,
  settleLost,
  settleRelease,
  settleSnooze,
  settleSuccess,
  settleUnclaim,
  type TaskEvent,
  type TaskRecord,
  TRANSITIONS,
} from "@giveway/kernel";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../models/refusal.ts";
import { endedTask, runningTask, START, taskWith } from "../models/tasks.ts";

const now = START + 1_000;
const actor: ChangeActor = { by: "ann", cause: null };
const error = { name: "Error", message: "no" };
const context = { policy: "express" } as const;

function taskIn(state: StoredState): TaskRecord {
  switch (state) {
    case "waiting":
      return taskWith({ overrides: { expires: now } });
    case "running":
      return runningTask();
    default:
      return endedTask(state);
  }
}

function runOf(task: TaskRecord): RunFacts {
  return { ...task, started: task.startedAt !== null, now, log: [] };
}

const claimed = runningTask({ startedAt: null, attempt: 0 });

/** Every settlement under the event it stands for. They exist for running tasks only, from anywhere else the fence refuses them. */
const settlements: Partial<Record<TaskEvent, readonly (() => Settlement)[]>> = {
  unclaim: [
    () => settleUnclaim(runOf(claimed)),
    () => settleRelease(runOf(claimed)),
    () => settleLost(claimed, 3, now),
  ],
  succeed: [() => settleSuccess(runOf(runningTask()), "1")],
  retry: [
    () => settleFailure(runOf(runningTask()), { outcome: "failed", error, delay: 5, reason: "not_retryable" }),
    () => settleFailure(runOf(runningTask()), { outcome: "timed_out", error, delay: 0, reason: "not_retryable" }),
    () => settleLost(runningTask(), 1, now),
  ],
  bury: [
    () => settleFailure(runOf(runningTask()), { outcome: "failed", error, delay: null, reason: "not_retryable" }),
    () => settleLost(runningTask(), 0, now),
    () => settleLost(runningTask({ losses: 2 }), 3, now),
  ],
  giveWay: [() => settleGiveWay(runOf(runningTask()), null)],
  release: [() => settleRelease(runOf(runningTask()))],
  snooze: [() => settleSnooze(runOf(runningTask()), 5)],
  expire: [() => settleExpired(runOf(claimed))],
};

type Change = (task: TaskRecord) => StoredState | "removed" | undefined;

/** Every change under the event it stands for, tried in every state. */
const changes: Partial<Record<TaskEvent, readonly Change[]>> = {
  cancel: [(task) => decideCancel(task, now, actor).patch.state],
  reweight: [
    (task) => stateAfter(task, decideReweight(task, 6, context, now, actor)),
    (task) => stateAfter(task, decideReweight(task, 9, context, now, actor)),
  ],
  edit: [
    (task) => stateAfter(task, decideEdit(task, { payload: "2" }, context, now, actor)),
    (task) => stateAfter(task, decideEdit(task, { name: "other" }, context, now, actor)),
  ],
  reschedule: [(task) => stateAfter(task, decideEdit(task, { dueAt: now + 5 }, context, now, actor))],
  rerun: [(task) => decideRerun(task, { dueAt: now }, now, actor).patch.state],
  replace: [(task) => decideReplace(task, { ...task, payload: "2" }, now, actor).patch.state],
  remove: [
    (task) => {
      assertRemovable(task);
      return "removed";
    },
  ],
};

function stateAfter(task: TaskRecord, decision: ChangeDecision | null): StoredState {
  if (decision === null) throw new Error("nothing was decided");
  return decision.patch.state ?? task.state;
}

/** Written by the store inside a claim or an insert, without a decision beyond the table. */
const BY_STORE: readonly TaskEvent[] = ["claim", "start", "shed"];
const events: readonly TaskEvent[] = [
  ...new Set(STORED_STATES.flatMap((state) => Object.keys(TRANSITIONS[state]) as TaskEvent[])),
];
const pairs = STORED_STATES.flatMap((state) => events.map((event) => [state, event] as const));

describe("every state and event: the decisions do what the table says", () => {
  test.each(pairs)("%s, %s", (state, event) => {
    const allowed = moveOf(state, event);
    expect(allowed).toBe(TRANSITIONS[state][event] ?? null);
    for (const change of changes[event] ?? []) {
      if (allowed === null) expect(refusalOf(() => change(taskIn(state))).code).toBe("wrong_state");
      else expect(change(taskIn(state))).toBe(allowed);
    }
    if (state !== "running") return;
    for (const settle of settlements[event] ?? []) {
      const settled = settle();
      expect(settled.event).toBe(event);
      expect(settled.state).toBe(allowed);
    }
  });

  test("an expiry by hand of time is allowed where the table says so, and waits for the claim's own while running", () => {
    expect(decideExpire(taskIn("waiting"), now)?.patch.state).toBe("cancelled");
    expect(decideExpire(taskIn("running"), now)).toBeNull();
    for (const state of ["succeeded", "dead", "cancelled"] as const) {
      expect(refusalOf(() => decideExpire(taskIn(state), now)).code).toBe("wrong_state");
    }
  });

  test("no event is without a decision", () => {
    const decided = [...Object.keys(settlements), ...Object.keys(changes), ...BY_STORE];
    expect([...events].sort()).toEqual([...new Set(decided)].sort());
  });

  test("what only a running task can do is nowhere else in the table", () => {
    for (const event of ["start", "unclaim", "succeed", "retry", "giveWay", "release", "snooze"] as const) {
      for (const state of STORED_STATES) expect(moveOf(state, event) !== null).toBe(state === "running");
    }
  });

  test("ended states are final but for rerun, removal and the edit of a dead task", () => {
    expect(Object.keys(TRANSITIONS.succeeded)).toEqual(["remove"]);
    expect(Object.keys(TRANSITIONS.cancelled).sort()).toEqual(["remove", "rerun"]);
    expect(Object.keys(TRANSITIONS.dead).sort()).toEqual(["edit", "remove", "rerun"]);
  });
});
