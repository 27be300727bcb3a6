// The SQLite ledger by itself, without engine or handlers, beside what bare SQLite does on the same disk in the same run. The figures to keep
// are the ratios: drain and inserts against the raw limit of the same kind of writes, lone and concurrent inserts against one-row commits.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_STEPS, laneOrders, nodeId, queueName, taskId, typeName } from "@giveway/kernel";
import { openSqliteStore } from "@giveway/store-sqlite";
import { durable, reportSamples } from "./rounds.mjs";

const ROUNDS = 5;
const BATCH = 1_000;
const DRAINED = 20_000;
const ROWS = 20_000;
const LONE = 300;
const SUBMITTERS = 100;

const QUEUE = queueName("orders");
const NODE = nodeId("bench");
const PAYLOAD = '{"orderId":10086,"note":"hello"}';

/** @typedef {import("@giveway/store").TaskStore} TaskStore */
/** @typedef {import("@giveway/kernel").TypeName} TypeName */
/** @typedef {Record<string, number>} Sample */

/** What one round of everything gives, figure by figure. @returns {Promise<Sample>} */
async function round() {
  const folder = mkdtempSync(join(tmpdir(), "giveway-bench-"));
  try {
    const rawJobs = rawLimit(join(folder, "raw.db"));
    const oneRow = oneRowCommits(join(folder, "one.db"));
    const store = await openLedger(join(folder, "ledger.db"));
    const [type] = typesOf(1);
    const bulk = await timed(DRAINED, () =>
      store.insert(tasksOf([type ?? typeName("none")], DRAINED, 0), "bulk", now()),
    );
    const drain = await drained(store, typesOf(1), DRAINED);
    const lone = await loneInserts(store);
    const concurrent = await concurrentInserts(store);
    await store.close();
    return {
      "raw insert+update+delete, jobs/s": rawJobs,
      "raw one-row commits/s": oneRow,
      "bulk insert, rows/s": bulk,
      "claim and settle, tasks/s": drain,
      "share of the raw limit": drain / rawJobs,
      "lone insert, commits' time": oneRow / lone,
      "100 submitters, times one-row": concurrent / oneRow,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same three writes a task takes at the least, in bare SQLite, 1 000 rows a transaction: jobs/s. @param {string} file */
function rawLimit(file) {
  const database = durable(file);
  database.exec(
    "CREATE TABLE job (id INTEGER PRIMARY KEY, status INTEGER, priority INTEGER, due INTEGER, payload TEXT)",
  );
  database.exec("CREATE INDEX job_order ON job (status, priority, due)");
  const insert = database.prepare("INSERT INTO job VALUES (?, 0, 5, ?, ?)");
  const update = database.prepare("UPDATE job SET status = 1 WHERE id = ?");
  const drop = database.prepare("DELETE FROM job WHERE id = ?");
  const begin = process.hrtime.bigint();
  for (let from = 1; from <= ROWS; from += BATCH) {
    for (const write of [(/** @type {number} */ id) => insert.run(id, id, PAYLOAD), update, drop]) {
      database.exec("BEGIN IMMEDIATE");
      for (let id = from; id < from + BATCH; id += 1) typeof write === "function" ? write(id) : write.run(id);
      database.exec("COMMIT");
    }
  }
  const perSecond = ROWS / secondsSince(begin);
  database.close();
  return perSecond;
}

/** @param {string} file */
function oneRowCommits(file) {
  const database = durable(file);
  database.exec("CREATE TABLE job (id INTEGER PRIMARY KEY, status INTEGER, payload TEXT)");
  const insert = database.prepare("INSERT INTO job VALUES (?, 0, ?)");
  const begin = process.hrtime.bigint();
  for (let id = 1; id <= LONE; id += 1) insert.run(id, PAYLOAD);
  const perSecond = LONE / secondsSince(begin);
  database.close();
  return perSecond;
}

/** @param {string} file @returns {Promise<TaskStore>} */
async function openLedger(file) {
  const store = openSqliteStore({ file, ballast: 0, minFree: 0 });
  store.listen({
    wake() {},
    fatal(error) {
      throw error;
    },
  });
  await store.open();
  await store.register({ node: NODE, label: "bench", release: "1", types: [], now: now(), lease: 60_000 });
  return store;
}

/** @param {TaskStore} store @returns {Promise<number>} a second */
async function loneInserts(store) {
  return timed(LONE, async () => {
    for (let index = 0; index < LONE; index += 1) await store.insert(tasksOf(typesOf(1), 1, 1), "normal", now());
  });
}

/** @param {TaskStore} store @returns {Promise<number>} a second */
async function concurrentInserts(store) {
  const each = 100;
  return timed(SUBMITTERS * each, async () => {
    const submitter = async () => {
      for (let index = 0; index < each; index += 1) await store.insert(tasksOf(typesOf(1), 1, 2), "normal", now());
    };
    await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
  });
}

/**
 * Claims and settles so many tasks; each turn sends the settlements of one batch and the claim of the next, as a node does.
 * @param {TaskStore} store @param {readonly TypeName[]} types @param {number} count @returns {Promise<number>} tasks a second
 */
async function drained(store, types, count) {
  return timed(count, async () => {
    let left = count;
    let claimNo = 0;
    /** @type {readonly import("@giveway/store").ClaimedTask[]} */
    let held = [];
    while (left > 0 || held.length > 0) {
      claimNo += 1;
      const [, answer] = await Promise.all([settle(store, held), claim(store, types, Math.min(left, BATCH), claimNo)]);
      held = answer.tasks;
      left -= held.length;
      if (held.length === 0 && left > 0) throw new Error(`nothing to claim, ${left} tasks short`);
    }
  });
}

/** @param {TaskStore} store @param {readonly TypeName[]} types @param {number} limit @param {number} claimNo */
function claim(store, types, limit, claimNo) {
  const lanes = laneOrders("express", DEFAULT_STEPS).map((order) => {
    const own = order.lane === "standard" ? limit : 0;
    return { order, limit: own, direct: own };
  });
  const open = types.map((type) => ({ type, room: BATCH, bound: null }));
  return store.claim({ queue: QUEUE, node: NODE, claimNo, now: now(), types: open, lanes });
}

/** @param {TaskStore} store @param {readonly import("@giveway/store").ClaimedTask[]} tasks */
async function settle(store, tasks) {
  const at = now();
  const outcomes = await store.settle(
    tasks.map(({ key, fence, attempt, dueAt }) => ({
      key,
      fence,
      settlement: {
        event: "succeed",
        state: "succeeded",
        outcome: "succeeded",
        attempt,
        failures: 0,
        losses: 0,
        noPrefetch: false,
        dueAt,
        place: "keep",
        startedAt: at,
        endedAt: at,
        error: null,
        endReason: "succeeded",
        result: "null",
        checkpoint: null,
        log: [],
      },
    })),
    at,
  );
  if (outcomes.some(({ kind }) => kind !== "applied")) throw new Error("a settlement was refused");
}

let made = 0;

/**
 * New tasks, spread over types and standard weights; ids grow as generated ones do.
 * @param {readonly TypeName[]} types @param {number} count @param {number} generation @returns {import("@giveway/store").NewTask[]}
 */
function tasksOf(types, count, generation) {
  return Array.from({ length: count }, (_, index) => {
    made += 1;
    const id = `01J9Z${generation}${String(made).padStart(20, "0")}`;
    const type = types[index % types.length] ?? typeName("none");
    const facts = {
      type,
      queue: QUEUE,
      name: null,
      payload: PAYLOAD,
      overrides: {},
      rerunOf: null,
      dueAt: 0,
      handOff: null,
    };
    return { ...facts, id: taskId(id), weight: 5, requestId: id };
  });
}

/** @param {number} count */
function typesOf(count) {
  return Array.from({ length: count }, (_, index) => typeName(`type-${index}`));
}

/** @param {number} count @param {() => Promise<unknown>} work @returns {Promise<number>} a second */
async function timed(count, work) {
  const begin = process.hrtime.bigint();
  await work();
  return count / secondsSince(begin);
}

/** @param {bigint} begin */
function secondsSince(begin) {
  return Number(process.hrtime.bigint() - begin) / 1e9;
}

function now() {
  return Date.now();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  /** @type {Sample[]} */
  const samples = [];
  for (let index = 0; index < ROUNDS; index += 1) samples.push(await round());
  reportSamples(samples);
}
