import { GivewayError } from "../errors.ts";
import type { JsonText } from "../task.ts";
import { JsonWriter, Refusal } from "./writer.ts";

/** Bytes of JSON that a payload may have by default. */
export const DEFAULT_MAX_PAYLOAD = 262_144;

export interface EncodeOptions {
  /** What the value is, first part of every path: `payload`. */
  readonly field: string;
  readonly maxBytes: number;
}

/**
 * A value as JSON text that every ledger can hold. What would be lost or changed without a word is refused with its path instead; the
 * table is in `docs/reference/values.md`. Throws `unstorable_value` (with the path, such as `payload.items[3].name`) or
 * `payload_too_large`.
 */
export function encodeJson(value: unknown, options: EncodeOptions): JsonText {
  const writer = new JsonWriter(options.field, options.maxBytes, false);
  try {
    return writer.write(value);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error.kind === "too_large" ? "payload_too_large" : "unstorable_value";
    throw new GivewayError(code, `${error.path}: ${error.message}`, { field: error.path });
  }
}

/**
 * A handler's result as JSON text; never throws, because the work is done. `undefined` is `null`. A part that can't be stored is replaced by
 * a text that names it, a result that is too large by its beginning; `note` then says so in one line, else it is null.
 */
export function encodeResult(
  value: unknown,
  maxBytes: number,
): { readonly text: JsonText; readonly note: string | null } {
  if (value === undefined) return { text: "null", note: null };
  const writer = new JsonWriter("result", maxBytes, true);
  try {
    return { text: writer.write(value), note: writer.note };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { text: JSON.stringify({ unstorable: error.message }), note: `${error.path}: ${error.message}` };
  }
}
