import type { TaskStore } from "../task-store.ts";

/** The calls that faults can be put into. */
export type StoreMethod = Exclude<keyof TaskStore, "features" | "open" | "close" | "listen">;

/** One call as it came in. */
export interface StoreCall {
  readonly method: StoreMethod;
  readonly args: readonly unknown[];
}

/**
 * Where a simulation puts its faults into one connection. Both may be left out, may answer a promise to delay the call, and may throw what the
 * caller is to get.
 */
export interface MemoryHooks {
  /** Before the call is carried out. What it throws: nothing was written. */
  readonly before?: (call: StoreCall) => void | Promise<void>;
  /** After the call was carried out, before its answer goes out. What it throws: it was written, but the caller is not told. */
  readonly after?: (call: StoreCall) => void | Promise<void>;
}
