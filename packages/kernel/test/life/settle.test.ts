import {
  POISON_LOSSES,
  type RunFacts,
  seq,
  settleExpired,
  settleFailure,
  settleGiveWay,
  settleLost,
  settleRelease,
  settleSnooze,
  settleSuccess,
  settleUnclaim,
} from "@giveway/kernel";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../models/refusal.ts";
import { endedTask, runningTask, START, taskWith } from "../models/tasks.ts";

const now = START + 1_000;
const error = { name: "Error", message: "no" };
const line = { at: START + 20, level: "info", text: "half way" } as const;

const run: RunFacts = {
  attempt: 2,
  started: true,
  failures: 1,
  losses: 1,
  noPrefetch: true,
  dueAt: START + 5,
  startedAt: START + 10,
  now,
  log: [line],
  checkpoint: '{"step":3}',
};
const claimed: RunFacts = { ...run, attempt: 1, started: false, startedAt: null, log: [] };

/** What every settlement takes over from the run unless it says otherwise. */
const carried = {
  attempt: 2,
  failures: 1,
  losses: 1,
  noPrefetch: true,
  startedAt: START + 10,
  endedAt: now,
  log: [line],
};
const plain = { error: null, endReason: null, result: null };

describe("a run's settlement", () => {
  test("success ends it, keeps the result and lets the checkpoint go", () => {
    expect(settleSuccess(run, '{"ok":true}')).toEqual({
      ...carried,
      ...plain,
      event: "succeed",
      state: "succeeded",
      outcome: "succeeded",
      dueAt: START + 5,
      place: "keep",
      endReason: "succeeded",
      result: '{"ok":true}',
      checkpoint: null,
    });
  });

  test.each(["failed", "timed_out"] as const)("%s with a delay: ready anew then, one retry used", (outcome) => {
    expect(settleFailure(run, { outcome, error, delay: 5_000, reason: "retries_exhausted" })).toEqual({
      ...carried,
      ...plain,
      event: "retry",
      state: "waiting",
      outcome,
      failures: 2,
      dueAt: now + 5_000,
      place: "anew",
      error,
      checkpoint: '{"step":3}',
    });
  });

  test.each(["not_retryable", "retries_exhausted", "invalid_payload"] as const)(
    "no delay: dead by %s, no retry used",
    (reason) => {
      expect(settleFailure(run, { outcome: "failed", error, delay: null, reason })).toEqual({
        ...carried,
        ...plain,
        event: "bury",
        state: "dead",
        outcome: "failed",
        dueAt: START + 5,
        place: "keep",
        error,
        endReason: reason,
        checkpoint: '{"step":3}',
      });
    },
  );

  test("a delay of 0 is a retry, not a death", () => {
    expect(settleFailure(run, { outcome: "failed", error, delay: 0, reason: "poison" })).toMatchObject({
      state: "waiting",
      dueAt: now,
      endReason: null,
    });
  });

  test("release keeps place and retries, and the attempt ends as released", () => {
    expect(settleRelease(run)).toEqual({
      ...carried,
      ...plain,
      event: "release",
      state: "waiting",
      outcome: "released",
      dueAt: START + 5,
      place: "keep",
      checkpoint: '{"step":3}',
    });
  });

  test("a claim that was not started goes back without a trace, by unclaim or release", () => {
    const back = {
      ...carried,
      ...plain,
      event: "unclaim",
      state: "waiting",
      outcome: null,
      attempt: 1,
      startedAt: null,
      log: [],
      dueAt: START + 5,
      place: "keep",
      checkpoint: '{"step":3}',
    };
    expect(settleUnclaim(claimed)).toEqual(back);
    expect(settleRelease(claimed)).toEqual(back);
  });

  test("an expired claim is cancelled without an attempt", () => {
    expect(settleExpired(claimed)).toMatchObject({
      event: "expire",
      state: "cancelled",
      outcome: null,
      endReason: "expired",
      attempt: 1,
    });
  });

  test("snooze is no failure: ready anew, counters as they were (V-25)", () => {
    expect(settleSnooze(run, 60_000)).toEqual({
      ...carried,
      ...plain,
      event: "snooze",
      state: "waiting",
      outcome: "snoozed",
      dueAt: now + 60_000,
      place: "anew",
      checkpoint: '{"step":3}',
    });
  });

  test("giving way keeps the place and takes the new checkpoint", () => {
    expect(settleGiveWay(run, '{"step":4}')).toEqual({
      ...carried,
      ...plain,
      event: "giveWay",
      state: "waiting",
      outcome: "gave_way",
      dueAt: START + 5,
      place: "keep",
      checkpoint: '{"step":4}',
    });
    expect(settleGiveWay(run, null).checkpoint).toBeNull();
  });

  test("what was started can't go back unstarted or expire", () => {
    expect(refusalOf(() => settleUnclaim(run)).code).toBe("wrong_state");
    expect(refusalOf(() => settleExpired(run)).code).toBe("wrong_state");
  });
});

describe("settleLost", () => {
  const task = runningTask({
    attempt: 2,
    failures: 1,
    losses: 1,
    dueAt: START + 5,
    seq: seq(9),
    checkpoint: '{"step":3}',
    log: [line],
  });

  test("a recorded start: lost, due now, anew, one retry used", () => {
    const settled = settleLost(task, 3, now);
    expect(settled).toMatchObject({
      event: "retry",
      state: "waiting",
      outcome: "lost",
      attempt: 2,
      failures: 2,
      losses: 2,
      noPrefetch: false,
      dueAt: now,
      place: "anew",
      endedAt: now,
      endReason: null,
      checkpoint: '{"step":3}',
      log: [],
    });
    expect(settled.error).toMatchObject({ name: "NodeLostError", code: "lease_lost", retryable: true });
    expect(settled.error?.message).toContain("n1");
  });

  test.each([
    [0, 0, 0, "retries_exhausted", 1],
    [3, 3, 0, "retries_exhausted", 1],
    [2, 3, 2, "poison", 3],
    [3, 3, 2, "poison", 3],
  ])("dead with %i failures of %i after %i losses: %s", (failures, retries, losses, endReason, lossesAfter) => {
    expect(settleLost({ ...task, failures, losses }, retries, now)).toMatchObject({
      event: "bury",
      state: "dead",
      outcome: "lost",
      endReason,
      failures,
      losses: lossesAfter,
    });
  });

  test("poison says so in its error", () => {
    expect(POISON_LOSSES).toBe(3);
    expect(settleLost({ ...task, losses: 2 }, 9, now).error).toMatchObject({ code: "poison", retryable: false });
  });

  test("no recorded start: back to its place, no retry, no loss, not prefetched again", () => {
    const prefetched = { ...task, startedAt: null, attempt: 1, losses: 2, failures: 3 };
    expect(settleLost(prefetched, 3, now)).toMatchObject({
      event: "unclaim",
      state: "waiting",
      outcome: null,
      attempt: 1,
      failures: 3,
      losses: 2,
      noPrefetch: true,
      place: "keep",
      dueAt: START + 5,
      error: null,
      endReason: null,
    });
    expect(settleLost({ ...prefetched, noPrefetch: true }, 3, now)).toMatchObject({
      state: "waiting",
      losses: 2,
      noPrefetch: true,
    });
  });

  test("refuses what doesn't run", () => {
    for (const other of [taskWith(), endedTask("dead"), endedTask("succeeded"), endedTask("cancelled")]) {
      expect(refusalOf(() => settleLost(other, 3, now)).code).toBe("wrong_state");
      expect(refusalOf(() => settleLost({ ...other, startedAt: null }, 3, now)).code).toBe("wrong_state");
      // A third loss must not bury what no longer runs.
      expect(refusalOf(() => settleLost({ ...other, startedAt: START, losses: 2 }, 3, now)).code).toBe("wrong_state");
    }
  });
});
