// Opens a ledger as soon as it is told to, with others at the same moment, and says what it found.
import { createInterface } from "node:readline";
import { openSqliteStore } from "@giveway/store-sqlite";

const [file] = process.argv.slice(2);
console.log(JSON.stringify("ready"));
for await (const _line of createInterface({ input: process.stdin })) break;
const store = openSqliteStore({ file, ballast: 0, minFree: 0, inline: true });
await store.open();
console.log(JSON.stringify({ version: (await store.info()).schemaVersion }));
await store.close();
