// A node of its own: inserts its share of tasks, claims whatever it gets in small batches, and says each claim; ends once nothing is left.
import { DEFAULT_STEPS, laneOrders } from "@giveway/kernel";
import { openSqliteStore } from "@giveway/store-sqlite";

const [file, node, share] = process.argv.slice(2);
const store = openSqliteStore({ file, ballast: 0, minFree: 0 });
await store.open();
await store.register({ node, label: node, release: "1", types: ["close_order"], now: Date.now(), lease: 60_000 });

const facts = { type: "close_order", queue: "orders", name: null, weight: 5, payload: "{}", overrides: {} };
const tasks = Array.from({ length: Number(share) }, (_, index) => {
  return { ...facts, id: `${node}-${index}`, requestId: "r", rerunOf: null, dueAt: 0, handOff: null };
});
const inserting = Promise.all(tasks.map((task) => store.insert([task], "normal", Date.now())));
const lanes = laneOrders("express", DEFAULT_STEPS).map((order) => ({ order, limit: 7, direct: 7 }));
let inserted = false;
inserting.then(() => {
  inserted = true;
});

for (let claimNo = 1; ; claimNo += 1) {
  const now = Date.now();
  const done = inserted;
  const types = [{ type: "close_order", room: 100, bound: null }];
  const { tasks: claimed } = await store.claim({ queue: "orders", node, claimNo, now, types, lanes });
  console.log(JSON.stringify({ claimed: claimed.map(({ id, fence }) => [id, fence]) }));
  await store.settle(
    claimed.map(({ key, fence, attempt, dueAt }) => ({
      key,
      fence,
      settlement: {
        ...{ event: "succeed", state: "succeeded", outcome: "succeeded", attempt, failures: 0, losses: 0 },
        ...{ noPrefetch: false, dueAt, place: "keep", startedAt: now, endedAt: now, error: null },
        ...{ endReason: "succeeded", result: "null", checkpoint: null, log: [] },
      },
    })),
    now,
  );
  if (claimed.length === 0 && done) break;
}
await inserting;
await store.close();
