// Inserts a task for each line it is told, and says how it went; says what the ledger calls fatal.
import { createInterface } from "node:readline";
import { openSqliteStore } from "@giveway/store-sqlite";

const [file] = process.argv.slice(2);
const say = (value) => console.log(JSON.stringify(value));
const store = openSqliteStore({ file, ballast: 0, minFree: 0 });
store.listen({ wake() {}, fatal: (error) => say({ fatal: error.code }) });
await store.open();
say({ open: true });
for await (const id of createInterface({ input: process.stdin })) {
  const task = { id, type: "close_order", queue: "orders", name: null, weight: 5, payload: "{}", overrides: {} };
  try {
    await store.insert([{ ...task, requestId: id, rerunOf: null, dueAt: 0, handOff: null }], "normal", 0);
    say({ id, code: null });
  } catch (error) {
    say({ id, code: error.code });
  }
}
await store.close();
