// How soon work starts on an idle node, how late delayed work is, and what idling costs.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createScheduler, defineTask } from "giveway";
import { measure, median, OneRowCommits, quantile } from "./rounds.mjs";

const PICKUPS = 200;
const WARM_UP = 200;
const DELAYED = 200;
const SLEEPING = 10_000;
const IDLE = 20_000;

await measure(
  async (folder) => {
    const raw = new OneRowCommits(join(folder, "raw.db"));
    raw.rate(WARM_UP);
    /** @type {number[]} */
    const commits = [];
    /** @type {Map<string, number>} */
    const submitted = new Map();
    /** @type {number[]} */
    const pickups = [];
    /** @type {number[]} */
    const lateness = [];
    const pick = defineTask({
      type: "pick",
      run: (_payload, ctx) => {
        pickups.push(performance.now() - (submitted.get(ctx.id) ?? Number.NaN));
      },
    });
    const late = defineTask({
      type: "late",
      run: (_payload, ctx) => {
        lateness.push(performance.timeOrigin + performance.now() - Date.parse(ctx.scheduledFor));
      },
    });
    const scheduler = await createScheduler({
      store: `sqlite:${join(folder, "tasks.db")}`,
      tasks: [pick, late],
      logger: false,
    });
    await scheduler.start();
    for (let n = 0; n < PICKUPS; n += 1) {
      commits.push(raw.one());
      submitted.set(`pick-${n}`, performance.now());
      await scheduler.submit(pick, null, { id: `pick-${n}` });
      await delay(20);
    }
    for (let n = 0; n < DELAYED; n += 1)
      await scheduler.submit(late, null, { delay: 500 + Math.floor((n * 2500) / DELAYED) });
    await delay(3_500);
    await scheduler.submitMany(Array.from({ length: SLEEPING }, () => ({ type: late, payload: null, delay: "1h" })));
    await delay(2_000);
    const before = process.cpuUsage();
    await delay(IDLE);
    const used = process.cpuUsage(before);
    await scheduler.stop();
    return {
      "one-row commit p50, ms": median(commits),
      "pick-up p50, ms": median(pickups),
      "pick-up / one commit": median(pickups) / median(commits),
      "lateness p50, ms": median(lateness),
      "lateness p99, ms": quantile(lateness, 0.99),
      "CPU over 20 idle seconds, s": (used.user + used.system) / 1e6,
    };
  },
  {
    "pick-up / one commit": { atMost: 2 },
    "lateness p99, ms": { atMost: 5 },
    "CPU over 20 idle seconds, s": { atMost: 0.03 },
  },
);
