// How fast one process works off 20 000 waiting no-op tasks: Giveway at synchronous FULL, plainjob at NORMAL (its own setting), and the raw
// limit: the same three writes per task in bare SQLite at FULL, 1 000 rows a transaction.
import { join } from "node:path";
import Database from "better-sqlite3";
import { createScheduler, defineTask } from "giveway";
import { better, defineQueue, defineWorker } from "plainjob";
import { durable, measure } from "./rounds.mjs";

const TASKS = 20_000;
const BATCH = 1_000;

/** @param {string} file */
async function giveway(file) {
  let ran = 0;
  const noop = defineTask({
    type: "noop",
    run: () => {
      ran += 1;
    },
  });
  const scheduler = await createScheduler({ store: `sqlite:${file}`, tasks: [noop], logger: false });
  await scheduler.submitMany(Array.from({ length: TASKS }, (_, orderId) => ({ type: noop, payload: { orderId } })));
  const begun = performance.now();
  await scheduler.start();
  await scheduler.drain();
  const rate = (TASKS / (performance.now() - begun)) * 1000;
  if (ran !== TASKS) throw new Error(`${ran} of ${TASKS} ran`);
  await scheduler.stop();
  return rate;
}

/** @param {string} file */
async function plainjob(file) {
  const silent = { error() {}, warn() {}, info() {}, debug() {} };
  const queue = defineQueue({ connection: better(new Database(file)), logger: silent });
  queue.addMany(
    "noop",
    Array.from({ length: TASKS }, (_, orderId) => ({ orderId })),
  );
  let ran = 0;
  /** @type {() => void} */
  let done = () => {};
  const all = new Promise((resolve) => {
    done = () => resolve(undefined);
  });
  const worker = defineWorker(
    "noop",
    async () => {
      ran += 1;
      if (ran === TASKS) done();
    },
    { queue, pollIntervall: 10, logger: silent },
  );
  const begun = performance.now();
  void worker.start();
  await all;
  const rate = (TASKS / (performance.now() - begun)) * 1000;
  await worker.stop();
  queue.close();
  return rate;
}

/** @param {string} file */
function raw(file) {
  const database = durable(file);
  database.exec(
    "create table task (id integer primary key, body text, state integer); create table ready (seq integer primary key)",
  );
  const insert = database.prepare("insert into task (body, state) values (?, 0)");
  const update = database.prepare("update task set state = 1 where id = ?");
  const remove = database.prepare("delete from ready where seq = ?");
  const ready = database.prepare("insert into ready (seq) values (?)");
  database.transaction(() => {
    for (let n = 1; n <= TASKS; n += 1) ready.run(n);
  })();
  const begun = performance.now();
  for (let from = 1; from <= TASKS; from += BATCH) {
    database.transaction(() => {
      for (let n = from; n < from + BATCH; n += 1) {
        insert.run('{"orderId":10086}');
        update.run(n);
        remove.run(n);
      }
    })();
  }
  const rate = (TASKS / (performance.now() - begun)) * 1000;
  database.close();
  return rate;
}

await measure(async (folder) => {
  const limit = raw(join(folder, "raw.db"));
  const peer = await plainjob(join(folder, "plainjob.db"));
  const ours = await giveway(join(folder, "giveway.db"));
  return {
    "giveway, tasks/s": ours,
    "plainjob, jobs/s": peer,
    "raw insert+update+delete, rows/s": limit,
    "giveway / plainjob": ours / peer,
    "giveway / raw": ours / limit,
  };
});
