export { createMemoryStore, MemoryLedger, type MemoryStoreOptions } from "./memory-store.ts";
