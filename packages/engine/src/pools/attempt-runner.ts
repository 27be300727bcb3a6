import {
  type Admission,
  type Clock,
  encodeResult,
  GivewayError,
  type JsonText,
  type Random,
  type Settlement,
  settleFailure,
  settleRelease,
  settleSnooze,
  settleSuccess,
  toStoredError,
  type Weight,
} from "@giveway/kernel";
import type { ClaimedTask } from "@giveway/store";
import type { Logger, SubmitAnswer, SubmitOptions } from "../api.ts";
import type { EventSink } from "../ports.ts";
import type { TimerService } from "../time/timer-service.ts";
import { Attempt, type AttemptPort, type Moment, type SlotOwner } from "./attempt.ts";
import { AttemptLog } from "./attempt-log.ts";
import { judgeFailure } from "./failure.ts";
import { Context, type ContextPort } from "./handler-context.ts";
import { ownedBy, ownedByNobody } from "./stray-rejections.ts";
import type { TypePool } from "./type-pool.ts";

export interface RunnerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly timers: TimerService;
  readonly events: EventSink;
  /** Bytes that a result may have. */
  readonly maxResult: number;
  readonly submit: ContextPort["submit"];
  readonly port: RunnerPort;
}

/** Where the runner hands on what its attempts lead to. */
export interface RunnerPort {
  /** Decided: write it. `run` is in ms. */
  conclude(attempt: Attempt, settlement: Settlement, run: number): void;
  progressed(attempt: Attempt, progress: JsonText): void;
  /** The handler settled, or its grace ended: one less under way. */
  ended(attempt: Attempt): void;
}

/**
 * Runs handlers (A11, C15). Whatever a handler does - throw anything, reject late, settle twice, never settle - ends in exactly one
 * settlement, and in its slot and permit being given back once.
 *
 * Time-out: the signal fires, and after a grace of min(5 s, time-out) the attempt is `timed_out`. A handler that succeeds within the grace
 * has succeeded: its work is done, and to do it again would serve nobody. One that goes on after it is a zombie: its slot is given back,
 * its permit is kept, its late answer is only told.
 */
export class AttemptRunner implements AttemptPort, ContextPort {
  readonly #deps: RunnerDeps;
  readonly #live = new Set<Attempt>();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  submit(type: string, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer> {
    const answer = ownedByNobody(() => this.#deps.submit(type, payload, options));
    // This promise is the handler's own: one it leaves behind is traced to it.
    return answer.then((submitted) => submitted);
  }

  /** Attempts whose handlers have not settled, zombies included. */
  get live(): ReadonlySet<Attempt> {
    return this.#live;
  }

  /** Starts a handler on a slot that was admitted to it. */
  start(
    task: ClaimedTask,
    weight: Weight,
    pool: TypePool,
    owner: SlotOwner,
    admission: Admission,
    at: Moment,
  ): Attempt {
    const attempt = new Attempt(task, pool, owner, admission, this, at);
    attempt.reweight(weight);
    pool.acquire();
    this.#live.add(attempt);
    attempt.timer = this.#deps.timers.after(attempt.timeout, attempt);
    const data = { wait: Math.max(0, at.now - task.since), scheduleDelay: Math.max(0, at.now - task.dueAt) };
    this.#deps.events.emit({ kind: "started", at: at.now, task: attempt.facts(), data });
    this.#call(attempt);
    return attempt;
  }

  /** Tells a handler to stop and gives it its grace. */
  stop(attempt: Attempt, cause: "cancelled" | "lease_lost"): void {
    if (attempt.settled || attempt.zombie) return;
    const first = attempt.cause === null;
    // The ledger has ended a cancelled task already; whatever its handler answers changes nothing.
    if (cause === "cancelled") attempt.over = true;
    attempt.stop(cause);
    if (!first) return;
    this.#deps.timers.cancel(attempt.timer);
    attempt.timer = this.#deps.timers.after(attempt.grace, attempt);
  }

  /** The node stops: the handler is told, and `abandon` follows where it goes on. */
  shutDown(attempt: Attempt): void {
    if (attempt.settled || attempt.zombie || attempt.cause !== null) return;
    attempt.stop("shutting_down");
  }

  /** Its grace ended: the ledger gets its end now, and the handler goes on as a zombie. */
  abandon(attempt: Attempt): void {
    if (attempt.settled || attempt.zombie) return;
    this.#deps.timers.cancel(attempt.timer);
    attempt.timer = null;
    attempt.zombie = true;
    this.#conclude(attempt, false, attempt.reason);
    const stops = attempt.pool.zombie();
    this.#tellZombie(attempt, stops);
    this.#deps.port.ended(attempt);
    attempt.owner.vacated(attempt.admission);
  }

  timeUp(attempt: Attempt): void {
    if (attempt.settled || attempt.zombie) return;
    if (attempt.cause !== null) {
      this.abandon(attempt);
      return;
    }
    attempt.stop("timed_out");
    attempt.timer = this.#deps.timers.after(attempt.grace, attempt);
  }

  logOf(attempt: Attempt): AttemptLog {
    if (attempt.log === null) {
      const { id, name, type, queue, requestId } = attempt.task;
      const facts = { event: "handler", id, name, type, queue, attempt: attempt.number, requestId };
      attempt.log = new AttemptLog(this.#deps.clock, this.#deps.logger, facts);
    }
    return attempt.log;
  }

  progressed(attempt: Attempt, progress: JsonText): void {
    this.#deps.port.progressed(attempt, progress);
  }

  extended(attempt: Attempt, ms: number): void {
    // Too late once it was told to stop: its grace is not its own to lengthen.
    if (attempt.cause !== null) return;
    this.#deps.timers.cancel(attempt.timer);
    attempt.timeoutAt = this.#deps.clock.monotonic() + ms;
    attempt.timer = this.#deps.timers.after(ms, attempt);
  }

  #call(attempt: Attempt): void {
    const { validate } = attempt.pool.compiled;
    let payload: unknown;
    try {
      payload = JSON.parse(attempt.task.payload);
      if (validate !== null) payload = ownedBy(attempt, () => validate(payload));
    } catch (error) {
      this.#invalid(attempt, error);
      return;
    }
    if (!(payload instanceof Promise)) {
      this.#invoke(attempt, payload);
      return;
    }
    payload.then(
      (checked: unknown) => this.#invoke(attempt, checked),
      (error: unknown) => this.#invalid(attempt, error),
    );
  }

  #invoke(attempt: Attempt, payload: unknown): void {
    // A validation that took as long as the whole attempt may: nothing is started any more.
    if (attempt.settled || attempt.zombie) return;
    try {
      const { run } = attempt.pool.compiled;
      const answer = ownedBy(attempt, () => run(payload, new Context(attempt, this)));
      if (!isObject(answer)) {
        this.#settle(attempt, true, answer);
        return;
      }
      // Whatever pretends to be a promise is made a real one, which settles once.
      Promise.resolve(answer).then(
        (result) => this.#settle(attempt, true, result),
        (error: unknown) => this.#settle(attempt, false, error),
      );
    } catch (error) {
      this.#settle(attempt, false, error);
    }
  }

  #invalid(attempt: Attempt, error: unknown): void {
    if (attempt.settled) return;
    if (!attempt.over) {
      attempt.over = true;
      const stored = toStoredError(error, false);
      const failure = { outcome: "failed", error: stored, delay: null, reason: "invalid_payload" } as const;
      this.#write(attempt, (now) => settleFailure(attempt.run(now), failure));
    }
    this.#settle(attempt, false, error);
  }

  #settle(attempt: Attempt, succeeded: boolean, value: unknown): void {
    if (attempt.settled) return;
    attempt.settled = true;
    this.#live.delete(attempt);
    this.#deps.timers.cancel(attempt.timer);
    attempt.timer = null;
    if (attempt.zombie) {
      this.#layToRest(attempt, succeeded, value);
      return;
    }
    this.#conclude(attempt, succeeded, value);
    attempt.pool.release();
    attempt.pool.rate.count();
    this.#deps.port.ended(attempt);
    attempt.owner.vacated(attempt.admission);
  }

  #conclude(attempt: Attempt, succeeded: boolean, value: unknown): void {
    if (attempt.over) return;
    attempt.over = true;
    this.#write(attempt, (now) => {
      if (attempt.snooze !== null) return settleSnooze(attempt.run(now), attempt.snooze);
      if (succeeded) return this.#success(attempt, value, now);
      if (attempt.cause === "lease_lost" || attempt.cause === "shutting_down") return settleRelease(attempt.run(now));
      return this.#failure(attempt, value, now);
    });
  }

  #write(attempt: Attempt, decide: (now: number) => Settlement): void {
    const { clock, port } = this.#deps;
    const settlement = decide(clock.now());
    port.conclude(attempt, settlement, Math.max(0, clock.monotonic() - attempt.begun));
  }

  #success(attempt: Attempt, value: unknown, now: number): Settlement {
    const { text, note } = encodeResult(value, this.#deps.maxResult);
    if (note !== null) this.logOf(attempt).warn(`the result was not kept as it is: ${note}`);
    return settleSuccess(attempt.run(now), text);
  }

  #failure(attempt: Attempt, thrown: unknown, now: number): Settlement {
    const { task, pool } = attempt;
    const timedOut = attempt.cause === "timed_out";
    const error = timedOut ? timeoutError(attempt, thrown) : thrown;
    const { random } = this.#deps;
    const verdict = judgeFailure(error, pool.compiled.retry, task.overrides.retry, task.failures, now, random);
    return settleFailure(attempt.run(now), { outcome: timedOut ? "timed_out" : "failed", ...verdict });
  }

  #layToRest(attempt: Attempt, succeeded: boolean, value: unknown): void {
    const { clock, events, logger } = this.#deps;
    const facts = attempt.facts();
    const run = Math.max(0, clock.monotonic() - attempt.begun);
    if (succeeded) {
      const data = { run, outcome: "succeeded", reason: "after_its_end" };
      events.emit({ kind: "late_answer", at: clock.now(), task: facts, data });
    } else {
      const data = { run, error: toStoredError(value), reason: "after_its_end" };
      events.emit({ kind: "rejected_late", at: clock.now(), task: facts, data });
    }
    if (attempt.pool.laidToRest()) {
      const { type } = attempt.task;
      logger.info(
        { event: "type_reopened", type },
        `type ${type} is started again: a handler that had gone on after its end settled`,
      );
    }
  }

  #tellZombie(attempt: Attempt, stops: boolean): void {
    const { clock, events, logger } = this.#deps;
    const { id, type, queue, name } = attempt.task;
    const { zombies } = attempt.pool;
    const fields = { event: "zombie", id, name, type, queue, attempt: attempt.number, zombies };
    logger.warn(
      fields,
      `the handler of task ${id} goes on after its end; its slot is free again, its type's permit is not`,
    );
    if (!stops) return;
    events.emit({ kind: "type_stopped", at: clock.now(), task: attempt.facts(), queue, data: { reason: "zombies" } });
    const text = `type ${type} is not started on this node any more: ${zombies} of its handlers go on after their end`;
    logger.error({ event: "type_stopped", type, queue, zombies }, text);
  }

  strayRejection(attempt: Attempt, reason: unknown): void {
    const { clock, events } = this.#deps;
    const data = { error: toStoredError(reason), reason: "unhandled" };
    events.emit({ kind: "rejected_late", at: clock.now(), task: attempt.facts(), data });
  }
}

function timeoutError(attempt: Attempt, thrown: unknown): GivewayError {
  const reason = attempt.reason;
  if (reason !== null && (thrown === reason || thrown === null || thrown === undefined)) return reason;
  const { id } = attempt.task;
  return new GivewayError("timed_out", `task ${id} ran for ${attempt.timeout} ms, as long as it may`, {
    subject: id,
    cause: thrown,
  });
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
