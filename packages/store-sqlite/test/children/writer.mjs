// Inserts single tasks one after the other and says each id once it is acknowledged, until it is killed or has inserted as many as it was told.
import { openSqliteStore } from "@giveway/store-sqlite";

const [file, prefix, count = "Infinity", mode = "thread"] = process.argv.slice(2);
const store = openSqliteStore({ file, ballast: 0, minFree: 0, inline: mode === "inline" });
await store.open();
console.log(JSON.stringify({ open: true }));
for (let index = 0; index < Number(count); index += 1) {
  const id = `${prefix}-${index}`;
  const task = { id, type: "close_order", queue: "orders", name: null, weight: 5, payload: "{}", overrides: {} };
  await store.insert([{ ...task, requestId: id, rerunOf: null, dueAt: 0, handOff: null }], "normal", Date.now());
  console.log(JSON.stringify({ id }));
}
if (process.env.GIVEWAY_TEST_END === "kill") process.kill(process.pid, "SIGKILL");
await store.close();
