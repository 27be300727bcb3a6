import { createEngine, VirtualClock } from "@giveway/engine";
import { type StoredState, seededRandom } from "@giveway/kernel";
import { createMemoryStore } from "@giveway/store/memory";
import { type SchedulerOptions, taskType } from "../create-scheduler.ts";
import { loggerFrom } from "../logger.ts";
import { storeFrom } from "../open-store.ts";
import type { Scheduler } from "../scheduler.ts";

/** Options of a scheduler under test: those of `createScheduler`, with a memory ledger, silence and a fixed seed as defaults. */
export interface TestSchedulerOptions extends Omit<SchedulerOptions, "store"> {
  /** Default `memory`. */
  readonly store?: SchedulerOptions["store"];
  /** Where the clock begins: ms since 1970 or a `Date`. Default 2025-01-01T00:00:00Z. */
  readonly startAt?: number | Date;
  /** Seed of all chance (retry jitter, generated ids). Default 1. */
  readonly seed?: number;
}

/** A scheduler whose time stands still until the test moves it. */
export interface TestScheduler extends AsyncDisposable {
  readonly scheduler: Scheduler;
  readonly clock: VirtualClock;
  /** Moves the clock, running what falls due on the way. Whole ms. */
  advance(ms: number): Promise<void>;
  /** Runs until nothing is ready, running or delayed any more, moving the clock as far as that takes. Throws past `limit` virtual ms (default 30 days). */
  runUntilIdle(limit?: number): Promise<void>;
  /** Moves the clock until a task is in a state. Throws past `limit` virtual ms (default 1 day). */
  waitFor(id: string, state: StoredState, limit?: number): Promise<void>;
}

const DAY = 86_400_000;
/** With one node there is nobody to prove its life to: beats hours apart keep the clock from stopping at each. */
const QUIET_LEASE = { lease: 7 * DAY, beat: DAY };

/**
 * A started scheduler on a virtual clock: retries of hours and delays of weeks pass in no time, and the same seed gives the same run.
 *
 * ```ts
 * await using t = await createTestScheduler({ tasks: [closeOrder] });
 * const { task } = await t.scheduler.submit(closeOrder, { orderId: 1 }, { delay: "15m" });
 * await t.runUntilIdle();
 * ```
 */
export async function createTestScheduler(options: TestSchedulerOptions = {}): Promise<TestScheduler> {
  const { store, tasks, logger, startAt, seed, ...rest } = options;
  const clock = new VirtualClock(startAt === undefined ? {} : { start: Number(startAt) });
  const scheduler = createEngine({
    ...rest,
    store: store === undefined ? createMemoryStore(QUIET_LEASE) : storeFrom(store),
    clock,
    random: seededRandom(seed ?? 1),
    logger: loggerFrom(logger ?? false),
    tasks: (tasks ?? []).map(taskType),
  }) as Scheduler;
  await scheduler.start();
  return new TestRun(scheduler, clock);
}

class TestRun implements TestScheduler {
  readonly scheduler: Scheduler;
  readonly clock: VirtualClock;

  constructor(scheduler: Scheduler, clock: VirtualClock) {
    this.scheduler = scheduler;
    this.clock = clock;
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  async runUntilIdle(limit = 30 * DAY): Promise<void> {
    await this.#moveUntil(limit, "idle", async () => {
      const stats = await this.scheduler.stats();
      return stats.backlog + stats.delayed + stats.running === 0;
    });
  }

  async waitFor(id: string, state: StoredState, limit = DAY): Promise<void> {
    await this.#moveUntil(limit, `${id} ${state}`, async () => (await this.scheduler.get(id))?.state === state);
  }

  /** Stops; where a handler never ends, the clock passes the stop's time-out for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    let stopped = false;
    const stopping = this.scheduler.stop().finally(() => {
      stopped = true;
    });
    await this.clock.advanceUntil(() => stopped);
    await stopping;
  }

  async #moveUntil(limit: number, what: string, done: () => Promise<boolean>): Promise<void> {
    const end = this.clock.monotonic() + limit;
    await this.clock.settle();
    while (!(await done())) {
      const step = this.clock.nextTimerIn;
      if (step === null || this.clock.monotonic() + step > end) {
        throw new Error(`not ${what} after ${limit} virtual ms; ask scheduler.why(id) what it waits for`);
      }
      await this.clock.advance(step);
    }
  }
}
