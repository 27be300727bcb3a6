import { encodeJson, GivewayError, type JsonText } from "@giveway/kernel";
import type { CompiledType } from "../config/compiled.ts";

/** A payload as it is stored, and as the type's schema made it. */
export interface ReadPayload {
  readonly text: JsonText;
  readonly checked: unknown;
}

/**
 * Makes a payload storable, then checks by the type's schema what a handler will read back, so that a submit refuses exactly what every
 * attempt would. What is stored is the caller's own value: the schema's transformations are made again before each run, from the same
 * start. Absent is null.
 *
 * Throws `unstorable_value`, `payload_too_large` or `invalid_payload`, each naming the path. The text is made before anything is awaited, so
 * a caller may go on to change its object.
 */
export function readPayload(
  value: unknown,
  type: CompiledType | null,
  maxBytes: number,
): ReadPayload | Promise<ReadPayload> {
  const text = encodeJson(value === undefined ? null : value, { field: "payload", maxBytes });
  if (type === null || (type.validate === null && type.deriveId === null)) return { text, checked: undefined };
  const stored: unknown = JSON.parse(text);
  if (type.validate === null) return { text, checked: stored };
  const checked = validated(type, stored);
  return checked instanceof Promise ? checked.then((value) => ({ text, checked: value })) : { text, checked };
}

/** The type's check; whatever it throws becomes `invalid_payload`. */
function validated(type: CompiledType, value: unknown): unknown | Promise<unknown> {
  try {
    const checked = type.validate?.(value);
    if (!isThenable(checked)) return checked;
    return Promise.resolve(checked).catch((error: unknown) => {
      throw refusal(type, error);
    });
  } catch (error) {
    throw refusal(type, error);
  }
}

function refusal(type: CompiledType, error: unknown): GivewayError {
  if (error instanceof GivewayError && error.code === "invalid_payload") return error;
  const message = error instanceof Error && error.message !== "" ? error.message : "it was refused";
  return new GivewayError("invalid_payload", `payload: ${message}; type ${type.type}`, {
    field: "payload",
    subject: type.type,
    cause: error,
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
