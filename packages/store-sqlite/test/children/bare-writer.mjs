// Inserts rows one a commit, by SQLite alone with the given `synchronous`, then dies: what the ledger would do without its settings.
import { createRequire } from "node:module";

const Database = createRequire(import.meta.url)("better-sqlite3");
const [file, synchronous, count] = process.argv.slice(2);
const database = new Database(file);
database.pragma("journal_mode = WAL");
database.pragma(`synchronous = ${synchronous}`);
database.pragma("wal_autocheckpoint = 0");
database.exec("CREATE TABLE task (id INTEGER PRIMARY KEY)");
database.pragma("wal_checkpoint(TRUNCATE)");
const insert = database.prepare("INSERT INTO task VALUES (?)");
for (let id = 1; id <= Number(count); id += 1) insert.run(id);
process.kill(process.pid, "SIGKILL");
