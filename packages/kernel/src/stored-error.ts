import { encodeResult } from "./json/encode.ts";
import { read } from "./safe-read.ts";
import type { StoredError } from "./task.ts";

/** Bounds of a stored error, in characters; the text that is cut ends in an ellipsis. */
export const ERROR_LIMITS = {
  name: 100,
  message: 2_000,
  code: 100,
  stack: 8_000,
  causes: 5,
  causeMessage: 500,
} as const;

/** What a value that carries no message is shown as, at most so many bytes of it. */
const PREVIEW = 1_000;

/**
 * Whatever was thrown, as a bounded record that every ledger can hold (A11, V-34). Total: getters and proxies that throw, cycles, values
 * that are no errors and errors without words are all met, and the message is never empty. NUL and half surrogates become U+FFFD.
 * `retryable` is the classifier's word, kept beside it.
 */
export function toStoredError(thrown: unknown, retryable?: boolean): StoredError {
  const code = codeOf(thrown);
  const stack = textOf(thrown, "stack", ERROR_LIMITS.stack);
  const causes = causesOf(thrown);
  return {
    name: nameOf(thrown),
    message: messageOf(thrown, ERROR_LIMITS.message),
    ...(code === null ? {} : { code }),
    ...(stack === null ? {} : { stack }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(retryable === undefined ? {} : { retryable }),
  };
}

function nameOf(thrown: unknown): string {
  if (!isObject(thrown)) return "NonError";
  const name = textOf(thrown, "name", ERROR_LIMITS.name);
  if (name !== null) return name;
  return isErrorLike(thrown) ? "Error" : "NonError";
}

function messageOf(thrown: unknown, limit: number): string {
  if (!isObject(thrown)) return primitiveMessage(thrown, limit);
  const own = textOf(thrown, "message", limit);
  if (own !== null) return own;
  const errors = errorsOf(thrown);
  if (errors.length > 0) {
    const first = isObject(errors[0]) ? textOf(errors[0], "message", limit) : primitiveMessage(errors[0], limit);
    return bounded(`${countOf(thrown)} errors, the first: ${first ?? "without a message"}`, limit);
  }
  if (isErrorLike(thrown)) return `${nameOf(thrown)} without a message`;
  return bounded(`not an error but ${previewOf(thrown)}`, limit);
}

function primitiveMessage(thrown: unknown, limit: number): string {
  if (typeof thrown === "string") {
    return thrown.trim() === "" ? "an empty string was thrown" : bounded(thrown, limit);
  }
  if (typeof thrown === "bigint") return bounded(`${thrown}n was thrown`, limit);
  return bounded(`${String(thrown)} was thrown`, limit);
}

/** An object without a message, as far as JSON can show it; a function by its kind, since its source is no reason. */
function previewOf(thrown: object): string {
  if (typeof thrown === "function") return "a function";
  const { text } = encodeResult(thrown, PREVIEW);
  return `an object: ${text}`;
}

/** The chain of causes, then the parts of an AggregateError, breadth first; each once, so that circles end. */
function causesOf(thrown: unknown): { name: string; message: string }[] {
  const seen = new Set<unknown>([thrown]);
  const found: { name: string; message: string }[] = [];
  const queue = partsOf(thrown);
  while (found.length < ERROR_LIMITS.causes) {
    const next = queue.shift();
    if (next === undefined) break;
    if (seen.has(next)) continue;
    seen.add(next);
    found.push({ name: nameOf(next), message: messageOf(next, ERROR_LIMITS.causeMessage) });
    queue.push(...partsOf(next));
  }
  return found;
}

function partsOf(thrown: unknown): unknown[] {
  const cause = read(thrown, "cause");
  const errors = errorsOf(thrown).filter((error) => error !== undefined);
  return cause === undefined || cause === null ? errors : [cause, ...errors];
}

/** The first parts of an AggregateError, or none. */
function errorsOf(thrown: unknown): unknown[] {
  const errors = read(thrown, "errors");
  try {
    // One more than is kept, since one of them may be the error itself.
    return Array.isArray(errors) ? Array.from(errors.slice(0, ERROR_LIMITS.causes + 1)) : [];
  } catch {
    return [];
  }
}

function countOf(thrown: unknown): number {
  const length = read(read(thrown, "errors"), "length");
  return typeof length === "number" ? length : 0;
}

function codeOf(thrown: unknown): string | null {
  const code = read(thrown, "code");
  if (typeof code === "number" && Number.isFinite(code)) return String(code);
  return textOf(thrown, "code", ERROR_LIMITS.code);
}

/** A property's text, bounded and storable; null where it is no text or blank. */
function textOf(thrown: unknown, key: string, limit: number): string | null {
  const value = read(thrown, key);
  if (typeof value !== "string" || isBlank(value, limit)) return null;
  return bounded(value, limit);
}

function isBlank(text: string, limit: number): boolean {
  return text.slice(0, limit).trim() === "";
}

/** Cuts first, so that a message of many megabytes costs no more than a short one. */
function bounded(text: string, limit: number): string {
  const short = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return short.toWellFormed().replaceAll("\0", "\ufffd");
}

function isErrorLike(thrown: object): boolean {
  return typeof read(thrown, "stack") === "string" || typeof read(thrown, "message") === "string";
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
