import {
  type Settlement,
  settleExpired,
  settleFailure,
  settleGiveWay,
  settleLost,
  settleRelease,
  settleSnooze,
  settleSuccess,
  settleUnclaim,
  type TaskRecord,
} from "@giveway/kernel";
import { BROKEN } from "./builders.ts";
import { chance, oneOf, upTo } from "./dice.ts";
import type { Walk } from "./walk-steps.ts";

/** A settlement that the kernel would decide for a task held like this one. */
export function randomSettlement({ random, now }: Walk, task: TaskRecord): Settlement {
  const recorded = task.startedAt !== null;
  const started = recorded || chance(random, 0.5);
  const run = {
    attempt: task.attempt + (started && !recorded ? 1 : 0),
    started,
    failures: task.failures,
    losses: task.losses,
    noPrefetch: task.noPrefetch,
    dueAt: task.dueAt,
    startedAt: recorded ? task.startedAt : started ? (chance(random, 0.8) ? now : null) : null,
    now,
    log: chance(random, 0.3) ? [{ at: now, level: "info", text: `line ${upTo(random, 9)}` } as const] : [],
    checkpoint: task.checkpoint,
  };
  if (!started) return oneOf(random, [settleUnclaim(run), settleExpired(run), settleLostOf(task, now)]);
  const failure = { error: BROKEN, reason: "retries_exhausted" } as const;
  const outcome = oneOf(random, ["failed", "timed_out"] as const);
  return oneOf(random, [
    settleSuccess(run, `${upTo(random, 9)}`),
    settleSuccess(run, "null"),
    settleFailure(run, { ...failure, outcome, delay: upTo(random, 1) * upTo(random, 9_000) }),
    settleFailure(run, { ...failure, outcome, delay: null }),
    settleRelease(run),
    settleSnooze(run, upTo(random, 3_000)),
    settleGiveWay(run, `{"step":${upTo(random, 9)}}`),
    settleLostOf(task, now),
  ]);
}

function settleLostOf(task: TaskRecord, now: number): Settlement {
  // The row may have changed since it was read: what is decided on it is refused by its fence then.
  return settleLost({ ...task, state: "running" }, 2, now);
}
