import { GivewayError } from "./errors.ts";
import type { Settlement } from "./settlement.ts";
import type { EndReason, JsonText, LogLine, StoredError, TaskRecord } from "./task.ts";
import { type AttemptOutcome, moveOf } from "./task-state.ts";

/**
 * # How a claimed task is settled
 *
 * Each decision answers a complete `Settlement`; the store writes it under the fence and adds nothing. The target state always comes from
 * the transition table. Only `failed`, `timed_out` and `lost` use up a retry, and only where one is left: `failures` counts retries used, so
 * it never exceeds the schedule. `docs/internals/life-of-a-task.md` tells the whole.
 */

/** What the engine knows of a claimed task when it settles it. */
export interface RunFacts {
  /** Starts so far, this one included where `started`. */
  readonly attempt: number;
  /** Whether its handler was called; false for a task only claimed. */
  readonly started: boolean;
  readonly failures: number;
  readonly losses: number;
  readonly noPrefetch: boolean;
  readonly dueAt: number;
  readonly startedAt: number | null;
  readonly now: number;
  readonly log: readonly LogLine[];
  readonly checkpoint: JsonText | null;
}

/** Deaths of a node while it was recorded as started: the third makes a task poison (V-24). */
export const POISON_LOSSES = 3;

/** What a decision says beyond what follows from the run. */
interface Verdict {
  readonly outcome: AttemptOutcome | null;
  readonly failures?: number;
  readonly losses?: number;
  readonly noPrefetch?: boolean;
  readonly dueAt?: number;
  readonly place?: "keep" | "anew";
  readonly error?: StoredError | null;
  readonly endReason?: EndReason | null;
  readonly result?: JsonText | null;
  readonly checkpoint?: JsonText | null;
}

/** The handler returned. `result` is JSON text, see `encodeResult`. */
export function settleSuccess(run: RunFacts, result: JsonText): Settlement {
  return settlement(run, "succeed", { outcome: "succeeded", endReason: "succeeded", result, checkpoint: null });
}

export interface FailureFacts {
  readonly outcome: "failed" | "timed_out";
  readonly error: StoredError;
  /** ms until the next attempt; null: there is none, it is dead. */
  readonly delay: number | null;
  /** Why it is dead; read where `delay` is null. */
  readonly reason: EndReason;
}

/** The attempt failed or ran out of time: another one after `delay`, ready anew then, or dead. */
export function settleFailure(run: RunFacts, failure: FailureFacts): Settlement {
  const { outcome, error, delay, reason } = failure;
  if (delay === null) return settlement(run, "bury", { outcome, error, endReason: reason });
  return settlement(run, "retry", {
    outcome,
    error,
    failures: run.failures + 1,
    dueAt: run.now + delay,
    place: "anew",
  });
}

/**
 * The node stops before the handler could end. The stop is not the task's doing, so it keeps its place and its retries; what was only
 * claimed is handed back as if it had never been.
 */
export function settleRelease(run: RunFacts): Settlement {
  if (!run.started) return settleUnclaim(run);
  return settlement(run, "release", { outcome: "released" });
}

/** A claimed task that was not started goes back to its place: no attempt, no retry, no trace. */
export function settleUnclaim(run: RunFacts): Settlement {
  if (run.started) throw refused("running and started", "handed back unstarted");
  return settlement(run, "unclaim", { outcome: null });
}

/** A claimed task whose `expires` passed before it was started. */
export function settleExpired(run: RunFacts): Settlement {
  if (run.started) throw refused("running and started", "expired");
  return settlement(run, "expire", { outcome: null, endReason: "expired" });
}

/** The handler put itself off: no failure, no retry used, ready anew after `delay` ms (V-25). */
export function settleSnooze(run: RunFacts, delay: number): Settlement {
  return settlement(run, "snooze", { outcome: "snoozed", dueAt: run.now + delay, place: "anew" });
}

/** The handler gave way through the ledger: it keeps its place and leaves a checkpoint for the next attempt. */
export function settleGiveWay(run: RunFacts, checkpoint: JsonText | null): Settlement {
  return settlement(run, "giveWay", { outcome: "gave_way", checkpoint });
}

/**
 * What becomes of a task whose node died, decided from its row alone.
 *
 * - Recorded as started: the attempt is `lost` and uses a retry. It is ready anew at once, or dead: as `poison` at its third loss,
 *   else when its retries are used up.
 * - Not recorded as started: it may have been prefetched and running, and nobody can know. It goes back to its place, keeps attempt and
 *   retries, is marked `noPrefetch`, and can't die of it. That mark is the one ambiguous loss a task can have: from now on its start is
 *   recorded with its claim, so there is no doubt a second time.
 */
export function settleLost(task: TaskRecord, retries: number, now: number): Settlement {
  if (task.state !== "running") throw refused(task.state, "taken over");
  const run = runOf(task, now);
  if (!run.started) return settlement(run, "unclaim", { outcome: null, noPrefetch: true });
  const losses = run.losses + 1;
  const lost = { outcome: "lost", losses, error: lostError(task, losses) } as const;
  if (losses >= POISON_LOSSES) return settlement(run, "bury", { ...lost, endReason: "poison" });
  if (run.failures >= retries) {
    return settlement(run, "bury", { ...lost, endReason: "retries_exhausted" });
  }
  return settlement(run, "retry", { ...lost, failures: run.failures + 1, dueAt: now, place: "anew" });
}

function runOf(task: TaskRecord, now: number): RunFacts {
  return {
    attempt: task.attempt,
    started: task.startedAt !== null,
    failures: task.failures,
    losses: task.losses,
    noPrefetch: task.noPrefetch,
    dueAt: task.dueAt,
    startedAt: task.startedAt,
    now,
    // The lines of a lost attempt died with its node; those in the row belong to the attempt before.
    log: [],
    checkpoint: task.checkpoint,
  };
}

function lostError(task: TaskRecord, losses: number): StoredError {
  const node = task.node === null ? "its node" : `node ${task.node}`;
  const poison = losses >= POISON_LOSSES;
  return {
    name: poison ? "PoisonError" : "NodeLostError",
    message: poison
      ? `${node} died while it ran, the third node to do so: it is taken for the cause and not started again by itself`
      : `${node} died while it ran; whether its work was done is not known`,
    code: poison ? "poison" : "lease_lost",
    retryable: !poison,
  };
}

/** Puts a settlement together. The table decides the state; an event it doesn't allow while running is refused. */
function settlement(run: RunFacts, event: Settlement["event"], verdict: Verdict): Settlement {
  const state = moveOf("running", event);
  if (state === null || state === "removed") throw refused("running", `settled by ${event}`);
  return {
    event,
    state,
    outcome: verdict.outcome,
    attempt: run.attempt,
    failures: verdict.failures ?? run.failures,
    losses: verdict.losses ?? run.losses,
    noPrefetch: verdict.noPrefetch ?? run.noPrefetch,
    dueAt: verdict.dueAt ?? run.dueAt,
    place: verdict.place ?? "keep",
    startedAt: run.startedAt,
    endedAt: run.now,
    error: verdict.error ?? null,
    endReason: verdict.endReason ?? null,
    result: verdict.result ?? null,
    checkpoint: verdict.checkpoint === undefined ? run.checkpoint : verdict.checkpoint,
    log: run.log,
  };
}

function refused(state: string, what: string): GivewayError {
  return new GivewayError("wrong_state", `a task that is ${state} can't be ${what}`);
}
