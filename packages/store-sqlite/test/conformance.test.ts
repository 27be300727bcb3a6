import { rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import type { StoreListener, TaskStore } from "@giveway/store";
import { describeTaskStore, type MakeLedger } from "@giveway/store/conformance";
import { openSqliteStore, type SqliteStoreOptions } from "../src/index.ts";
import { makeFastFolder } from "./support/folder.ts";

/** Ledgers in memory where the system has such a place: the suite is about the contract, not about the disk. */
function ledgersOf(options: Omit<SqliteStoreOptions, "file">): MakeLedger {
  return async () => {
    const folder = makeFastFolder();
    const open = async (listener?: StoreListener): Promise<TaskStore> => {
      const store = openSqliteStore({ file: `${folder}/ledger.db`, ballast: 0, minFree: 0, ...options });
      if (listener !== undefined) store.listen(listener);
      await store.open();
      return store;
    };
    return { open, dispose: async () => rmSync(folder, { recursive: true, force: true }) };
  };
}

// The long comparisons run in full on one of them; the others differ in how they are reached, not in what they decide.
const SHORT = { operations: 3_000, claims: 60 };

describeTaskStore("SQLite inline", ledgersOf({ inline: true }));
describeTaskStore("SQLite in a thread", ledgersOf({}), SHORT);
// Nodes before 22.13 have no SQLite of their own.
if (isBuiltin("node:sqlite")) {
  describeTaskStore("node:sqlite inline", ledgersOf({ inline: true, driver: "node:sqlite" }), SHORT);
}
