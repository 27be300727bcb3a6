// Says how one task looks from this process: its instants as the ledger has them and as text.
import { openSqliteStore } from "@giveway/store-sqlite";

const [file, id, dueAt] = process.argv.slice(2);
const store = openSqliteStore({ file, ballast: 0, minFree: 0, inline: true });
await store.open();
if (dueAt !== undefined) {
  const task = { id, type: "close_order", queue: "orders", name: null, weight: 5, payload: "{}", overrides: {} };
  await store.insert([{ ...task, requestId: id, rerunOf: null, dueAt: Date.parse(dueAt), handOff: null }], "normal", 0);
}
const [task] = await store.get([id]);
console.log(JSON.stringify({ dueAt: task.dueAt, text: new Date(task.dueAt).toISOString(), zone: process.env.TZ }));
await store.close();
