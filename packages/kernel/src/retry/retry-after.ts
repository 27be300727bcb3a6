import { formatDuration, MAX_DURATION, parseDuration } from "../duration.ts";
import { GivewayError } from "../errors.ts";
import { parseInstant, toIso } from "../instant.ts";
import { read } from "../safe-read.ts";

/** The longest wait taken from a server's `Retry-After`: a day. A handler's own word is taken up to 100 years. */
export const MAX_RETRY_AFTER = 86_400_000;

/**
 * What a handler throws to say when to try again: `throw new RetryAfterError("30s")`, or with a `Date`. It uses up a retry like any other
 * failure, and only the delay differs. Durations in ms or text.
 */
export class RetryAfterError extends GivewayError {
  /** ms since 1970 where a `Date` was given, else null. */
  readonly retryAt: number | null;

  constructor(after: number | string | Date, message?: string, details: { readonly cause?: unknown } = {}) {
    const at = typeof after === "object" ? parseInstant(after, "RetryAfterError") : null;
    const delay = at === null ? parseDuration(after, "RetryAfterError") : null;
    super(
      "retry_after",
      message ?? (at === null ? `try again in ${formatDuration(delay ?? 0)}` : `try again at ${toIso(at)}`),
      {
        ...details,
        ...(delay === null ? {} : { retryAfter: delay }),
      },
    );
    this.retryAt = at;
  }
}

/**
 * How many ms to wait before the next attempt because the error says so, or null where it doesn't. Read from a `RetryAfterError`, from any
 * coded error's `retryAfter` (ms), or from a `Retry-After` header (seconds or HTTP date, RFC 9110) in the error's `headers` or its
 * response's, where a day is the most. Never throws, whatever the error is.
 */
export function retryAfterOf(error: unknown, now: number): number | null {
  const at = read(error, "retryAt");
  if (typeof at === "number" && Number.isFinite(at)) return bounded(at - now, MAX_DURATION);
  if (error instanceof GivewayError) {
    return error.retryAfter === undefined ? null : bounded(error.retryAfter, MAX_DURATION);
  }
  const header = headerOf(read(error, "headers")) ?? headerOf(read(read(error, "response"), "headers"));
  return header === null ? null : fromHeader(header, now);
}

/** The header's text from a plain object, whatever the case of its keys, or from anything with a `get`, such as `Headers`. */
function headerOf(headers: unknown): string | null {
  if (typeof headers !== "object" || headers === null) return null;
  try {
    const get = read(headers, "get");
    const found: unknown = typeof get === "function" ? get.call(headers, "retry-after") : undefined;
    const value = found ?? fieldOf(headers, "retry-after");
    const text: unknown = Array.isArray(value) ? value[0] : value;
    return typeof text === "string" || typeof text === "number" ? String(text).trim() : null;
  } catch {
    return null;
  }
}

function fieldOf(headers: object, name: string): unknown {
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : (headers as Record<string, unknown>)[key];
}

const SECONDS = /^\d{1,12}$/;
const HTTP_DATE = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function fromHeader(text: string, now: number): number | null {
  if (SECONDS.test(text)) return bounded(Number(text) * 1000, MAX_RETRY_AFTER);
  const match = HTTP_DATE.exec(text);
  const month = MONTHS.indexOf(match?.[2] ?? "");
  if (match === null || month < 0) return null;
  const [day, year, hour, minute, second] = [1, 3, 4, 5, 6].map((group) => Number(match[group]));
  return bounded(Date.UTC(year!, month, day, hour, minute, second) - now, MAX_RETRY_AFTER);
}

function bounded(ms: number, most: number): number {
  return Math.min(most, Math.max(0, Math.ceil(ms)));
}
