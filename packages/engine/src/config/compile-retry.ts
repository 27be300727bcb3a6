import { DEFAULT_RETRY, parseDuration, parseRetry, type RetrySpec } from "@giveway/kernel";
import type { Checks } from "./checks.ts";
import type { CompiledRetry } from "./compiled.ts";
import { RETRY_OPTIONS } from "./option-names.ts";

/** A type's retry options: a schedule as data, or a function that decides each time, and the type's word on what is retryable (A9, A10). */
export function compileRetry(checks: Checks, value: unknown, path: string): CompiledRetry {
  if (value === undefined) return { spec: DEFAULT_RETRY, next: null, retryable: null };
  const given = checks.object(value, RETRY_OPTIONS, path);
  const next = given["next"] === undefined ? null : checks.callable(given["next"], `${path}.next`);
  const retryable = given["retryable"] === undefined ? null : checks.callable(given["retryable"], `${path}.retryable`);
  if (next !== null && (given["delays"] !== undefined || given["exponential"] !== undefined)) {
    checks.fail(path, "give next or a schedule (delays, exponential), not both");
  }
  const spec = checks.read(() => parseRetry(given, path));
  return {
    spec,
    next: next === null ? null : guardedNext(next as NextFunction, spec),
    retryable: retryable as CompiledRetry["retryable"],
  };
}

type NextFunction = (error: unknown, retries: number) => unknown;

/**
 * The user's function with its answers read. One that throws or answers nonsense must not leave a task without a decision: the default
 * schedule decides instead.
 */
function guardedNext(next: NextFunction, fallback: RetrySpec): (error: unknown, retries: number) => number | null {
  const delays = fallback.kind === "list" ? fallback.delays : [];
  return (error, retries) => {
    try {
      const answer = next(error, retries);
      return answer === false ? null : parseDuration(answer, "retry.next");
    } catch {
      return delays[retries] ?? null;
    }
  };
}

/** A submit's own schedule. It is stored with the task, so it can't hold functions. */
export function retryOverride(checks: Checks, value: unknown, path: string): RetrySpec {
  const given = checks.object(value, RETRY_OPTIONS, path);
  for (const key of ["next", "retryable"] as const) {
    if (given[key] !== undefined) {
      checks.fail(`${path}.${key}`, "a function can't be stored with a task; set it on the type");
    }
  }
  if (given["delays"] === undefined && given["exponential"] === undefined) {
    checks.fail(path, "expected delays or exponential");
  }
  return checks.read(() => parseRetry(given, path));
}
