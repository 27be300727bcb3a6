import { GivewayError } from "../errors.ts";
import type { JsonText } from "../task.ts";
import { plainJson } from "./plain.ts";
import { fitsUtf8 } from "./utf8.ts";
import { JsonWriter, Refusal } from "./writer.ts";

/** Bytes of JSON that a payload may have by default. */
export const DEFAULT_MAX_PAYLOAD = 262_144;

export interface EncodeOptions {
  /** What the value is, first part of every path: `payload`. */
  readonly field: string;
  readonly maxBytes: number;
}

/**
 * A value as JSON text that every ledger can hold (V-26, V-27). What JSON would lose or change without a word is refused with its path:
 *
 * | value | outcome |
 * | --- | --- |
 * | text, also emoji and right-to-left | stored |
 * | text or key with NUL or half a surrogate pair; the key `__proto__` | refused |
 * | finite number; `-0` | stored; as `0` |
 * | NaN, Infinity, BigInt, function, symbol | refused |
 * | `undefined` as a field | left out, as JSON does |
 * | `undefined` or a hole in a list, or as the whole | refused |
 * | object with `toJSON` (Date: ISO text) | what it answers |
 * | invalid Date; a `toJSON` or getter that throws | refused |
 * | instance of an ordinary class; boxed primitive | its own fields; refused |
 * | Map, Set, Error, RegExp, Promise and other built-ins | refused |
 * | Buffer, typed array, ArrayBuffer | refused |
 * | a circle; more than 500 levels | refused |
 *
 * Symbol keys and fields that aren't enumerable are left out, as JSON does. Throws `unstorable_value` (`payload.items[3].name: …`) or
 * `payload_too_large`. `docs/reference/values.md` says the same for users.
 */
export function encodeJson(value: unknown, options: EncodeOptions): JsonText {
  const plain = plainJson(value, options.maxBytes);
  if (plain !== null && fitsUtf8(plain, options.maxBytes)) return plain;
  try {
    return new JsonWriter(options.field, options.maxBytes, false).write(value);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error.kind === "too_large" ? "payload_too_large" : "unstorable_value";
    throw new GivewayError(code, `${error.path}: ${error.message}`, { field: error.path });
  }
}

/** Characters of a result's beginning that are kept where the whole is too large. */
const KEPT = 1_000;

/**
 * A handler's result as JSON text; never throws, because the work is done. `undefined` is `null`. A part that can't be stored is replaced by
 * text such as `[not stored: a BigInt]` (NaN and the infinities by null, NUL and half surrogates by U+FFFD, a `__proto__` key left out),
 * and what is too large by `{"cut": "<the beginning of its JSON>"}`. `note` then says so in one line, else it is null.
 */
export function encodeResult(
  value: unknown,
  maxBytes: number,
): { readonly text: JsonText; readonly note: string | null } {
  if (value === undefined) return { text: "null", note: null };
  const plain = plainJson(value, maxBytes);
  if (plain !== null && fitsUtf8(plain, maxBytes)) return { text: plain, note: null };
  const writer = new JsonWriter("result", maxBytes, true);
  try {
    return { text: writer.write(value), note: writer.note };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { text: cut(writer.written, maxBytes), note: `${error.path}: ${error.message}` };
  }
}

/** The marker itself must fit: one kept character may take six bytes once it is quoted. */
function cut(written: string, maxBytes: number): JsonText {
  const kept = Math.min(KEPT, Math.floor((maxBytes - 16) / 6));
  return kept > 0 ? JSON.stringify({ cut: written.slice(0, kept).toWellFormed() }) : "null";
}
