import {
  createEngine,
  type QueueOptions,
  type Scheduler,
  systemClock,
  type TaskEventView,
  type TaskType,
} from "@giveway/engine";
import { seededRandom } from "@giveway/kernel";
import { MemoryLedger } from "@giveway/store/memory";
import { afterEach } from "vitest";
import type { Server, ServerOptions } from "../../src/index.ts";
import { serve } from "./serve.ts";

const running: Scheduler[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((scheduler) => scheduler.stop({ timeout: 0 })));
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface Real {
  readonly server: Server;
  readonly scheduler: Scheduler;
  /** Resolves with the first event that fits, from now on or before. */
  seen(fits: (event: TaskEventView) => boolean): Promise<TaskEventView>;
}

/** The server over the real engine and a ledger in memory, stopped after the test. */
export async function serveReal(
  tasks: readonly TaskType[],
  queues: Readonly<Record<string, QueueOptions>> = {},
  options: Partial<ServerOptions> = {},
): Promise<Real> {
  const scheduler = createEngine({
    store: new MemoryLedger().connect({}),
    clock: systemClock(),
    random: seededRandom(7),
    logger: silent,
    tasks,
    queues,
    logFigures: 0,
  });
  running.push(scheduler);
  const events: TaskEventView[] = [];
  const waiting = new Set<() => void>();
  scheduler.subscribe((event) => {
    events.push(event);
    for (const notify of waiting) notify();
  });
  await scheduler.start();
  const server = serve({ scheduler, ...options });
  return {
    server,
    scheduler,
    async seen(fits) {
      for (;;) {
        const event = events.find(fits);
        if (event !== undefined) return event;
        await new Promise<void>((resolve) => {
          const notify = () => {
            waiting.delete(notify);
            resolve();
          };
          waiting.add(notify);
        });
      }
    },
  };
}
