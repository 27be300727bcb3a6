import { read } from "./safe-read.ts";
import type { StoredError } from "./task.ts";

/**
 * Whatever was thrown, as a bounded record that every ledger can hold (A11, V-34). Total: getters, proxies, cycles and missing messages are
 * all met. `retryable` is the classifier's word, kept beside it.
 */
export function toStoredError(thrown: unknown, retryable?: boolean): StoredError {
  const message = read(thrown, "message");
  return {
    name: "Error",
    message: typeof message === "string" && message !== "" ? message : "unknown",
    ...(retryable === undefined ? {} : { retryable }),
  };
}
