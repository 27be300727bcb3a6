import { read } from "../safe-read.ts";

/** A type's own word on an error: true, false, or undefined for no opinion. */
export type RetryRule = (error: unknown) => boolean | undefined;

/**
 * Whether a failed attempt may succeed when repeated (A10). In this order: the error's own boolean `retryable`; the type's rule (one that
 * throws has no opinion); the built-in table over the error and its causes. What nobody knows is retryable.
 */
export function isRetryable(error: unknown, typeRule: RetryRule | null): boolean {
  const own = read(error, "retryable");
  if (typeof own === "boolean") return own;
  return askRule(error, typeRule) ?? true;
}

function askRule(error: unknown, rule: RetryRule | null): boolean | undefined {
  if (rule === null) return undefined;
  try {
    const answer: unknown = rule(error);
    return typeof answer === "boolean" ? answer : undefined;
  } catch {
    return undefined;
  }
}
