export type { SqliteStoreOptions } from "./options.ts";
export { openSqliteStore } from "./store.ts";
