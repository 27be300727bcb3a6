// Registers a node and then blocks its main loop for good, as a handler in an endless loop would.
import { openSqliteStore } from "@giveway/store-sqlite";

const [file] = process.argv.slice(2);
const store = openSqliteStore({ file, ballast: 0, minFree: 0 });
await store.open();
await store.register({ node: "blocked", label: "l", release: "1", types: [], now: Date.now(), lease: 60_000 });
process.stdout.write(`${JSON.stringify("registered")}\n`, () => {
  for (;;);
});
