// Four slots, no burst, an unbroken stream of express tasks at 1.2 × capacity for 20 s, fifty low tasks of 10 ms there from the start: how long
// the last of them waits, against 3 × ceil(50 / (slots − cap)) × service time, and whether both bound checkers stay at zero.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createScheduler, defineTask } from "giveway";
import { measure, median } from "./rounds.mjs";

const SLOTS = 4;
const CAP = 2;
const LOW = 50;
const SERVICE = 10;
const SECONDS = 20;
const PER_BEAT = 5;

await measure(
  async (folder) => {
    /** @type {number[]} */
    const waits = [];
    /** @type {number[]} */
    const services = [];
    const begun = performance.now();
    const work = defineTask({
      type: "work",
      run: async (/** @type {unknown} */ payload) => {
        const started = performance.now();
        if (payload === "low") waits.push(started - begun);
        await delay(SERVICE);
        services.push(performance.now() - started);
      },
    });
    const scheduler = await createScheduler({
      store: `sqlite:${join(folder, "tasks.db")}`,
      tasks: [work],
      queues: { default: { slots: SLOTS, burst: SLOTS } },
      logger: false,
    });
    await scheduler.start();
    await scheduler.submitMany(Array.from({ length: LOW }, () => ({ type: work, payload: "low", weight: "low" })));
    const capacity = (SLOTS * 1000) / SERVICE;
    const beat = (1000 * PER_BEAT) / (1.2 * capacity);
    const end = performance.now() + SECONDS * 1000;
    for (let next = performance.now(); next < end; next += beat) {
      await scheduler.submitMany(
        Array.from({ length: PER_BEAT }, () => ({ type: work, payload: "express", weight: "critical" })),
      );
      await delay(Math.max(0, next + beat - performance.now()));
    }
    const { bounds } = await scheduler.queue("default");
    await scheduler.stop({ timeout: 2_000 });
    const limit = 3 * Math.ceil(LOW / (SLOTS - CAP)) * median(services);
    return {
      "low tasks that ran, of 50": waits.length,
      "longest wait, ms": Math.max(...waits),
      "limit, ms": limit,
      "longest wait / limit": Math.max(...waits) / limit,
      "order breaches": bounds.order.breaches,
      "share breaches": bounds.share.breaches,
    };
  },
  {
    "low tasks that ran, of 50": { atLeast: LOW },
    "longest wait / limit": { atMost: 1 },
    "order breaches": { atMost: 0 },
    "share breaches": { atMost: 0 },
  },
);
