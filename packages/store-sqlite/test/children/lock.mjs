// Holds the write lock of a ledger until it is told to let go.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const Database = createRequire(import.meta.url)("better-sqlite3");
const [file] = process.argv.slice(2);
const database = new Database(file);
database.exec("BEGIN IMMEDIATE");
console.log(JSON.stringify("locked"));
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== "release") continue;
  database.exec("ROLLBACK");
  console.log(JSON.stringify("released"));
  break;
}
database.close();
process.exit(0);
