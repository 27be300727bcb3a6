// What a submit costs: alone, by 10 and by 100 at once, beside one-row commits and fdatasync on the same disk.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createScheduler } from "giveway";
import { measure, median, OneRowCommits, quantile } from "./rounds.mjs";

const LONE = 500;
const TURNS = 10;
const WARM_UP = 200;

/** Appends 4 KiB and syncs: ms, each. @param {number} descriptor @param {number} count */
function syncs(descriptor, count) {
  const block = Buffer.alloc(4096);
  return Array.from({ length: count }, () => {
    const begun = performance.now();
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
    return performance.now() - begun;
  });
}

/**
 * Submitters that each submit one task after the other. Answers ms per submit and the rate over all.
 * @param {import("giveway").Scheduler} scheduler @param {number} submitters @param {number} count
 */
async function submits(scheduler, submitters, count) {
  /** @type {number[]} */
  const times = [];
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: submitters }, async () => {
      for (let n = 0; n < count / submitters; n += 1) {
        const asked = performance.now();
        await scheduler.submit("noop", { orderId: n });
        times.push(performance.now() - asked);
      }
    }),
  );
  return { times, rate: (count / (performance.now() - begun)) * 1000 };
}

await measure(
  async (folder) => {
    const raw = new OneRowCommits(join(folder, "raw.db"));
    const disk = openSync(join(folder, "sync"), "w");
    const scheduler = await createScheduler({ store: `sqlite:${join(folder, "tasks.db")}`, logger: false });
    await submits(scheduler, 1, WARM_UP);
    raw.rate(WARM_UP);

    /** @type {Record<"commits" | "lone" | "ten" | "syncs" | "gains" | "rates", number[]>} */
    const taken = { commits: [], lone: [], ten: [], syncs: [], gains: [], rates: [] };
    for (let turn = 0; turn < LONE; turn += 1) {
      taken.commits.push(raw.one());
      taken.lone.push(...(await submits(scheduler, 1, 1)).times);
    }
    for (let turn = 0; turn < TURNS; turn += 1) {
      taken.syncs.push(...syncs(disk, 50));
      taken.ten.push(...(await submits(scheduler, 10, 500)).times);
      const oneByOne = raw.rate(50);
      const { rate } = await submits(scheduler, 100, 2_000);
      taken.rates.push(rate);
      taken.gains.push(rate / oneByOne);
    }
    await scheduler.stop();
    raw.close();
    closeSync(disk);
    return {
      "one-row commit p50, ms": median(taken.commits),
      "lone submit p50, ms": median(taken.lone),
      "lone submit / one commit": median(taken.lone) / median(taken.commits),
      "10 submitters, p99 of a create, ms": quantile(taken.ten, 0.99),
      "fdatasync p99, ms": quantile(taken.syncs, 0.99),
      "100 submitters, submits/s": median(taken.rates),
      "100 submitters / one-row commits": median(taken.gains),
    };
  },
  {
    "lone submit / one commit": { atMost: 2 },
    "10 submitters, p99 of a create, ms": { atMost: 10 },
    "100 submitters / one-row commits": { atLeast: 10 },
  },
);
