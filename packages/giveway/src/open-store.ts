import { existsSync } from "node:fs";
import { GivewayError } from "@giveway/kernel";
import type { TaskStore } from "@giveway/store";
import { createMemoryStore } from "@giveway/store/memory";
import { openSqliteStore } from "@giveway/store-sqlite";

/**
 * Where the tasks are kept: `sqlite:FILE` (durable, no set-up), `memory` (gone with the process: for tests), or a store of your own.
 */
export type StoreOption = string | TaskStore;

/** Makes the store that an option names; nothing is opened yet. Errors: `invalid_config` naming what was expected. */
export function storeFrom(option: StoreOption): TaskStore {
  if (typeof option === "object" && option !== null) return option;
  if (option === "memory") return createMemoryStore();
  if (typeof option === "string" && option.startsWith("sqlite:")) return sqliteStore(option.slice("sqlite:".length));
  throw new GivewayError(
    "invalid_config",
    `store: expected "sqlite:FILE", "memory" or a store object; got ${typeof option === "string" ? JSON.stringify(option) : typeof option}`,
    { field: "store" },
  );
}

/**
 * A ledger without a scheduler, not opened yet: for tools that copy or check one. `existing: true` refuses a file that isn't there,
 * so that a mistyped name makes no empty ledger.
 */
export function openLedger(location: string, options: { readonly existing?: boolean } = {}): TaskStore {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(location)?.[1];
  if (options.existing === true && file !== undefined && !existsSync(file)) {
    throw new GivewayError("not_found", `there is no ledger at ${file}`, { field: "store", subject: file });
  }
  return storeFrom(location);
}

function sqliteStore(location: string): TaskStore {
  const file = location.startsWith("//") ? location.slice(2) : location;
  if (file === "" || file === ":memory:") {
    throw new GivewayError(
      "invalid_config",
      'store: "sqlite:" needs a file, such as "sqlite:data/tasks.db"; for a ledger in memory use "memory"',
      {
        field: "store",
      },
    );
  }
  return openSqliteStore({ file });
}
