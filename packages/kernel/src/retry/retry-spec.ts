import { formatDuration, MAX_DURATION, parseDuration } from "../duration.ts";
import { GivewayError } from "../errors.ts";
import type { Random } from "../random.ts";
import type { RetrySpec } from "../task.ts";

/** Three retries after 1 s, 5 s and 25 s (A9, C7). */
export const DEFAULT_RETRY: RetrySpec = { kind: "list", delays: [1_000, 5_000, 25_000] };

/** Every delay is stretched by up to this part of itself, so that what failed together doesn't return together. */
export const RETRY_JITTER = 0.1;

/** Most retries a schedule may hold. */
export const MAX_RETRIES = 1_000;
const MAX_FACTOR = 100;
const DEFAULT_FACTOR = 2;
const DEFAULT_CAP = 3_600_000;
const DEFAULT_MAX = 3;

/** What may be written where a retry schedule is asked for; `next` and `retryable` are functions of the type and read by the engine. */
export interface RetryInput {
  readonly delays?: readonly (number | string)[];
  readonly exponential?: {
    readonly base: number | string;
    /** Default 2, from 1 to 100. */
    readonly factor?: number;
    /** Default 1 h. */
    readonly cap?: number | string;
    /** Retries; default 3, at most 1 000. */
    readonly max?: number;
  };
  readonly next?: unknown;
  readonly retryable?: unknown;
}

/**
 * Reads a retry schedule: a list with one delay per retry (an empty list: never), or one that grows (base × factor^n, at most cap, max times).
 * Neither given: the default. Throws `invalid_option` or `invalid_duration` with the path.
 */
export function parseRetry(options: RetryInput | undefined, field = "retry"): RetrySpec {
  if (options === undefined) return DEFAULT_RETRY;
  const given = fieldsOf(options, ["delays", "exponential", "next", "retryable"], field);
  const { delays, exponential } = given;
  if (delays !== undefined && exponential !== undefined) {
    throw invalid(field, "give delays or exponential, not both");
  }
  if (delays !== undefined) return parseList(delays, `${field}.delays`);
  if (exponential !== undefined) return parseGrowth(exponential, `${field}.exponential`);
  return DEFAULT_RETRY;
}

function parseList(delays: unknown, field: string): RetrySpec {
  if (!Array.isArray(delays)) throw invalid(field, `expected a list of durations; got ${typeof delays}`);
  if (delays.length > MAX_RETRIES) throw invalid(field, `has ${delays.length} delays, more than ${MAX_RETRIES}`);
  return { kind: "list", delays: delays.map((delay, index) => parseDuration(delay, `${field}[${index}]`)) };
}

function parseGrowth(growth: unknown, field: string): RetrySpec {
  const given = fieldsOf(growth, ["base", "factor", "cap", "max"], field);
  if (given["base"] === undefined) throw invalid(`${field}.base`, "is missing: the delay of the first retry");
  const base = parseDuration(given["base"], `${field}.base`);
  const cap = given["cap"] === undefined ? Math.max(base, DEFAULT_CAP) : parseDuration(given["cap"], `${field}.cap`);
  if (cap < base) {
    throw invalid(`${field}.cap`, `${formatDuration(cap)} lies below the base of ${formatDuration(base)}`);
  }
  const factor = given["factor"] ?? DEFAULT_FACTOR;
  if (typeof factor !== "number" || !(factor >= 1 && factor <= MAX_FACTOR)) {
    throw invalid(`${field}.factor`, `expected a number from 1 to ${MAX_FACTOR}; got ${shown(factor)}`);
  }
  const max = given["max"] ?? DEFAULT_MAX;
  if (typeof max !== "number" || !Number.isInteger(max) || max < 0 || max > MAX_RETRIES) {
    throw invalid(`${field}.max`, `expected a whole number from 0 to ${MAX_RETRIES}; got ${shown(max)}`);
  }
  return { kind: "exponential", base, factor, cap, max };
}

/** The own fields of an options object; one that isn't known is a typing error that would otherwise go unnoticed. */
function fieldsOf(value: unknown, known: readonly string[], field: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(field, `expected an object; got ${shown(value)}`);
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw invalid(`${field}.${unknown}`, `is not a known option; known are ${known.join(", ")}`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "number" || value === null ? String(value) : typeof value;
}

function invalid(field: string, fault: string): GivewayError {
  return new GivewayError("invalid_option", `${field}: ${fault}`, { field });
}

/** How many retries a schedule grants. */
export function maxRetries(spec: RetrySpec): number {
  return spec.kind === "list" ? spec.delays.length : spec.max;
}

/**
 * The delay before the next attempt, in whole ms: stretched by up to a tenth and rounded up, so never early. Null: none is left.
 */
export function retryDelay(spec: RetrySpec, retriesUsed: number, random: Random): number | null {
  if (retriesUsed >= maxRetries(spec)) return null;
  const delay = spec.kind === "list" ? (spec.delays[retriesUsed] ?? 0) : grown(spec, retriesUsed);
  return Math.min(MAX_DURATION, Math.ceil(delay + delay * RETRY_JITTER * random()));
}

function grown(spec: Extract<RetrySpec, { kind: "exponential" }>, retriesUsed: number): number {
  // A power beyond the doubles is Infinity and meets the cap; 0 × Infinity would be no number.
  return spec.base === 0 ? 0 : Math.min(spec.cap, spec.base * spec.factor ** retriesUsed);
}
