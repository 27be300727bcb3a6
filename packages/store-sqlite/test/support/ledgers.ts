import { rmSync } from "node:fs";
import type { StoreListener, TaskStore } from "@giveway/store";
import type { MakeLedger } from "@giveway/store/conformance";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/index.ts";
import { makeFastFolder } from "./folder.ts";

/** Ledgers for the conformance suite, in memory where the system has such a place: the suite is about the contract, not about the disk. */
export function ledgersOf(options: Omit<SqliteStoreOptions, "file">): MakeLedger {
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

/** The long comparisons run in full inline; the other ways to a ledger differ in how it is reached, not in what it decides. */
export const SHORT = { operations: 3_000, claims: 60 } as const;
