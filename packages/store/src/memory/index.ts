export type { MemoryHooks, StoreCall, StoreMethod } from "./hooks.ts";
export { createMemoryStore, MemoryLedger, type MemoryStoreOptions } from "./memory-ledger.ts";
