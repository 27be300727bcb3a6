// What a submit costs: alone, by 10 and by 100 at once, beside one-row commits and fdatasync on the same disk.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createScheduler } from "giveway";
import { measure, median, oneRowCommits, quantile } from "./rounds.mjs";

const LONE = 500;
const CONCURRENT = 20_000;

/** @param {string} file */
function syncs(file) {
  const descriptor = openSync(file, "w");
  const block = Buffer.alloc(4096);
  /** @type {number[]} */
  const times = [];
  for (let n = 0; n < 500; n += 1) {
    const begun = performance.now();
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
    times.push(performance.now() - begun);
  }
  closeSync(descriptor);
  return times;
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
    const commits = oneRowCommits(join(folder, "raw.db"), LONE);
    const disk = syncs(join(folder, "sync"));
    const scheduler = await createScheduler({ store: `sqlite:${join(folder, "tasks.db")}`, logger: false });
    await submits(scheduler, 1, 200);
    const lone = await submits(scheduler, 1, LONE);
    const ten = await submits(scheduler, 10, 5_000);
    const hundred = await submits(scheduler, 100, CONCURRENT);
    await scheduler.stop();
    const perSecond = 1000 / median(commits);
    return {
      "one-row commit p50, ms": median(commits),
      "lone submit p50, ms": median(lone.times),
      "lone submit / one commit": median(lone.times) / median(commits),
      "10 submitters, p99 of a create, ms": quantile(ten.times, 0.99),
      "fdatasync p99, ms": quantile(disk, 0.99),
      "100 submitters, submits/s": hundred.rate,
      "100 submitters / one-row commits": hundred.rate / perSecond,
    };
  },
  {
    "lone submit / one commit": { atMost: 2 },
    "10 submitters, p99 of a create, ms": { atMost: 10 },
    "100 submitters / one-row commits": { atLeast: 10 },
  },
);
