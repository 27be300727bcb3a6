import {
  type EndReason,
  isRetryable,
  MAX_DURATION,
  maxRetries,
  type Random,
  type RetrySpec,
  retryAfterOf,
  retryDelay,
  type StoredError,
  toStoredError,
} from "@giveway/kernel";
import type { CompiledRetry } from "../config/compiled.ts";

export interface FailureVerdict {
  readonly error: StoredError;
  /** ms until the next attempt; null: it is dead. */
  readonly delay: number | null;
  /** Why, where it is dead. */
  readonly reason: EndReason;
}

/**
 * What follows from what a handler threw (A9, A10, section 8). Not retryable: dead at once. Else the next delay comes, in this order, from the
 * error's own word (`RetryAfterError`, `Retry-After`), the type's function, the task's own schedule or its type's. The error's word never
 * grants a retry that the schedule doesn't have. `retries` counts those already used.
 */
export function judgeFailure(
  thrown: unknown,
  retry: CompiledRetry,
  own: RetrySpec | undefined,
  retries: number,
  now: number,
  random: Random,
): FailureVerdict {
  const retryable = isRetryable(thrown, retry.retryable);
  const error = toStoredError(thrown, retryable);
  if (!retryable) return { error, delay: null, reason: "not_retryable" };
  const planned = plannedDelay(thrown, retry, own, retries, random);
  if (planned === null) return { error, delay: null, reason: "retries_exhausted" };
  return { error, delay: retryAfterOf(thrown, now) ?? planned, reason: "retries_exhausted" };
}

function plannedDelay(
  thrown: unknown,
  retry: CompiledRetry,
  own: RetrySpec | undefined,
  retries: number,
  random: Random,
): number | null {
  if (own !== undefined) return retryDelay(own, retries, random);
  if (retry.next === null) return retryDelay(retry.spec, retries, random);
  try {
    const delay = retry.next(thrown, retries);
    return delay === null ? null : Math.min(MAX_DURATION, Math.max(0, Math.ceil(delay)));
  } catch {
    // A policy that throws has no opinion; the schedule still bounds the retries.
    return retryDelay(retry.spec, retries, random);
  }
}

/** How many retries a lost task may use: its own schedule's, its type's, or the default where no handler here knows it. */
export function retriesOf(own: RetrySpec | undefined, type: CompiledRetry | undefined, fallback: RetrySpec): number {
  if (own !== undefined) return maxRetries(own);
  if (type === undefined) return maxRetries(fallback);
  // A function policy has no count; it is asked at the failure, and a loss is none.
  return type.next === null ? maxRetries(type.spec) : Number.POSITIVE_INFINITY;
}
