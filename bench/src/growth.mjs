// What a drained task costs with few and with a million waiting, in one stream and in fifty, and behind many of a paused type, through the
// whole engine; and how much memory the process takes over all of it. Ledgers are filled by a process of their own, once, and copied for
// each round, so that every round meets the same file and the memory measured here is that of working, not of submitting.
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createScheduler, defineTask } from "giveway";
import { inFolder, ROUNDS, reportSamples } from "./rounds.mjs";

const FEW = 20_000;
const MANY = 1_000_000;
const PAUSED = 100_000;
/** Tasks that one measurement runs: all of the few, the first of the many. */
const SLICE = 20_000;
const PAGE = 50_000;
const MIB = 1024 * 1024;

/** @typedef {{ readonly name: string, readonly streams: number, readonly waiting: number, readonly paused: number }} Shape */

/** @type {readonly Shape[]} */
const SHAPES = [
  { name: "1 stream, 20 000 waiting", streams: 1, waiting: FEW, paused: 0 },
  { name: "1 stream, 1 000 000 waiting", streams: 1, waiting: MANY, paused: 0 },
  { name: "50 streams, 20 000 waiting", streams: 50, waiting: FEW, paused: 0 },
  { name: "50 streams, 1 000 000 waiting", streams: 50, waiting: MANY, paused: 0 },
  { name: "20 000 behind 100 000 of a paused type", streams: 1, waiting: FEW, paused: PAUSED },
];

const MEMORY = "memory beyond the start, MiB";
const RATIOS = [
  { name: "1 stream: 1 000 000 / 20 000", of: 1, to: 0 },
  { name: "50 streams: 1 000 000 / 20 000", of: 3, to: 2 },
  { name: "behind 100 000 paused / none in front", of: 4, to: 0 },
];

/** The types of a shape, and one that is paused. @param {number} streams @param {() => void} run */
function types(streams, run) {
  const names = Array.from({ length: streams }, (_, index) => `type-${index}`);
  return [...names, "paused"].map((type) => defineTask({ type, run }));
}

/** @param {string} file @param {Shape} shape */
async function fill(file, { streams, waiting, paused }) {
  const scheduler = await createScheduler({ store: `sqlite:${file}`, tasks: types(streams, () => {}), logger: false });
  await scheduler.pause({ type: "paused" });
  for (let from = 0; from < paused; from += PAGE) {
    await scheduler.submitMany(Array.from({ length: PAGE }, (_, n) => task("paused", from + n)));
  }
  for (let from = 0; from < waiting; from += PAGE) {
    const length = Math.min(PAGE, waiting - from);
    await scheduler.submitMany(Array.from({ length }, (_, n) => task(`type-${(from + n) % streams}`, from + n)));
  }
  await scheduler.stop();
}

/** @param {string} type @param {number} orderId */
function task(type, orderId) {
  return { type, payload: { orderId } };
}

/** µs per task, from the start to the start of the slice's last task. @param {string} file @param {Shape} shape */
async function drain(file, { streams }) {
  let ran = 0;
  /** @type {(at: number) => void} */
  let done = () => {};
  const last = new Promise((resolve) => {
    done = resolve;
  });
  const tasks = types(streams, () => {
    ran += 1;
    if (ran === SLICE) done(performance.now());
  });
  const scheduler = await createScheduler({ store: `sqlite:${file}`, tasks, logger: false });
  const begun = performance.now();
  await scheduler.start();
  const micros = (((await last) - begun) / SLICE) * 1000;
  await scheduler.stop();
  return micros;
}

async function measureAll() {
  await inFolder(async (folder) => {
    const files = SHAPES.map((_, index) => {
      const file = join(folder, `full-${index}.db`);
      const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), file, String(index)]);
      if (status !== 0) throw new Error(`the ledger of "${SHAPES[index]?.name}" was not filled`);
      return file;
    });
    // The first pass only warms up: compiled code and the engine's first ledger are no growth.
    await pass(folder, files);
    const start = process.memoryUsage.rss();
    const meter = new MemoryMeter();
    /** @type {Record<string, number>[]} */
    const samples = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const costs = await pass(folder, files);
      const sample = Object.fromEntries(SHAPES.map(({ name }, index) => [`${name}: µs a task`, costs[index] ?? 0]));
      for (const { name, of, to } of RATIOS) sample[name] = (costs[of] ?? Number.NaN) / (costs[to] ?? Number.NaN);
      samples.push(sample);
    }
    meter.stop();
    // One figure for all rounds: the most that was ever held.
    for (const sample of samples) sample[MEMORY] = (meter.most - start) / MIB;
    const ratios = Object.fromEntries(RATIOS.map(({ name }) => [name, { atMost: 1.3 }]));
    reportSamples(samples, { ...ratios, [MEMORY]: { atMost: 60 } });
  });
}

/** Every shape once, on a copy of its ledger. @param {string} folder @param {readonly string[]} files */
async function pass(folder, files) {
  /** @type {number[]} */
  const costs = [];
  for (const [index, file] of files.entries()) {
    const copy = join(folder, "copy.db");
    copyFileSync(file, copy);
    costs.push(await drain(copy, /** @type {Shape} */ (SHAPES[index])));
    for (const rest of ["", "-wal", "-shm", "-ballast"]) rmSync(`${copy}${rest}`, { force: true });
  }
  return costs;
}

/** The most memory that the process held since it was made. */
class MemoryMeter {
  most = 0;
  #timer = setInterval(() => this.#look(), 20);

  stop() {
    clearInterval(this.#timer);
  }

  #look() {
    this.most = Math.max(this.most, process.memoryUsage.rss());
  }
}

const [, , file, index] = process.argv;
const shape = index === undefined ? undefined : SHAPES[Number(index)];
if (file !== undefined && shape !== undefined) await fill(file, shape);
else await measureAll();
