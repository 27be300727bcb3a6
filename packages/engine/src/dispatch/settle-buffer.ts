import { type Clock, type Fence, GivewayError, type JsonText, type TaskKey } from "@giveway/kernel";
import type { SettleOutcome, TaskStore } from "@giveway/store";
import type { Attempt } from "../pools/attempt.ts";
import type { Finish } from "../pools/finish.ts";
import type { EventSink } from "../ports.ts";
import type { LedgerWatch } from "./ledger-watch.ts";

export interface SettleBufferDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly watch: LedgerWatch;
  /** The ledger doesn't know this start any more: the task was cancelled or taken over. */
  readonly refusedStart: (attempt: Attempt) => void;
  /** A batch was answered. */
  readonly answered: () => void;
}

/** Finishes in one call: enough to share a commit, few enough not to hold it up. */
const MOST = 2_000;

/**
 * What this node has to write about its attempts: ends, starts of prefetched tasks, progress. Whatever is pending when the previous batch
 * returned goes out together (group commit); a claim asked in the same turn shares that commit. Nothing is lost while the ledger refuses:
 * a batch that failed goes out again, first.
 */
export class SettleBuffer {
  readonly #deps: SettleBufferDeps;
  #pending: Finish[] = [];
  #sent: readonly Finish[] = [];
  #unrecorded: Attempt[] = [];
  #startedLately: Attempt[] = [];
  readonly #progress = new Map<Attempt, JsonText>();

  constructor(deps: SettleBufferDeps) {
    this.#deps = deps;
  }

  get empty(): boolean {
    return this.#pending.length === 0 && this.#sent.length === 0;
  }

  add(finish: Finish): void {
    this.#pending.push(finish);
  }

  /** A prefetched task started: the ledger is told once it ran for a whole turn of the event loop; many end sooner. */
  started(attempt: Attempt): void {
    this.#startedLately.push(attempt);
  }

  /** Only the latest progress of an attempt is kept. */
  progressed(attempt: Attempt, progress: JsonText): void {
    this.#progress.set(attempt, progress);
  }

  /** Whether an end of exactly this claim waits here or is on its way. */
  holds(key: TaskKey, fence: Fence): boolean {
    const same = (finish: Finish): boolean => finish.key === key && finish.fence === fence;
    return this.#pending.some(same) || this.#sent.some(same);
  }

  /** Sends what is pending, unless a batch is under way or the ledger is being left alone for a moment. */
  flush(): void {
    if (this.#deps.watch.pausing) return;
    if (this.#progress.size > 0) this.#sendProgress();
    if (this.#pending.length > 0 && this.#sent.length === 0) this.#sendFinishes();
  }

  /** The event loop has turned: what started before and still runs is recorded. Answers whether another turn is needed for the rest. */
  turned(): boolean {
    if (this.#unrecorded.length > 0 && !this.#deps.watch.pausing) this.#sendStarts();
    if (this.#startedLately.length > 0) {
      const running = this.#startedLately.filter(isRunning);
      this.#unrecorded = this.#unrecorded.length === 0 ? running : [...this.#unrecorded, ...running];
      this.#startedLately = [];
    }
    return this.#unrecorded.length > 0 && !this.#deps.watch.pausing;
  }

  #sendFinishes(): void {
    const { store, clock, watch } = this.#deps;
    const batch = this.#pending.length > MOST ? this.#pending.splice(0, MOST) : this.#pending;
    if (batch === this.#pending) this.#pending = [];
    this.#sent = batch;
    store.settle(batch, clock.now()).then(
      (outcomes) => {
        this.#sent = [];
        watch.succeeded();
        this.#report(batch, outcomes);
        this.flush();
        this.#deps.answered();
      },
      (error: unknown) => {
        this.#sent = [];
        if (inDoubt(error)) for (const finish of batch) finish.doubt = true;
        this.#pending = [...batch, ...this.#pending];
        watch.failed("settle", error);
        this.#deps.answered();
      },
    );
  }

  #report(batch: readonly Finish[], outcomes: readonly SettleOutcome[]): void {
    const { clock, events } = this.#deps;
    const now = clock.now();
    for (const [index, finish] of batch.entries()) finish.report(outcomes[index] ?? REFUSED, now, events);
  }

  #sendStarts(): void {
    const { store, watch, refusedStart } = this.#deps;
    const running = this.#unrecorded.filter(isRunning);
    this.#unrecorded = [];
    if (running.length === 0) return;
    const marks = running.map(({ task, number, startedAt }) => {
      return { key: task.key, fence: task.fence, attempt: number, startedAt };
    });
    store.markStarted(marks).then(
      (known) => {
        for (const [index, attempt] of running.entries()) {
          if (known[index] === true) attempt.recorded = true;
          else if (isRunning(attempt)) refusedStart(attempt);
        }
      },
      (error: unknown) => {
        this.#unrecorded.push(...running);
        watch.failed("start", error);
      },
    );
  }

  #sendProgress(): void {
    const { store, clock, events, watch } = this.#deps;
    const latest = [...this.#progress];
    this.#progress.clear();
    const marks = latest.map(([{ task }, progress]) => ({ key: task.key, fence: task.fence, progress }));
    store.saveProgress(marks).then(
      () => {
        const at = clock.now();
        for (const [attempt, progress] of latest) {
          events.emit({ kind: "progress", at, task: attempt.facts(), data: { progress } });
        }
      },
      (error: unknown) => {
        // A later one of the same attempt wins; one that has ended needs none.
        for (const [attempt, progress] of latest) {
          if (!attempt.settled && !this.#progress.has(attempt)) this.#progress.set(attempt, progress);
        }
        watch.failed("progress", error);
      },
    );
  }
}

function isRunning(attempt: Attempt): boolean {
  return !attempt.settled && !attempt.over;
}

const REFUSED: SettleOutcome = { kind: "refused", state: null };

/** Whether the call may have been written although it failed. */
export function inDoubt(error: unknown): boolean {
  return !(error instanceof GivewayError) || error.code === "ledger_unavailable";
}
