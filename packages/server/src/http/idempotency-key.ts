import { GivewayError } from "@giveway/kernel";
import type { FastifyRequest } from "fastify";

const HEADER = "Idempotency-Key";
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const PLAIN = /^[\x20\x21\x23-\x7e]+$/;

/** The key that a request carries, plain or as a quoted structured-field string; null where there is none. Throws `invalid_id`. */
export function idempotencyKey(request: FastifyRequest): string | null {
  const given = request.headers["idempotency-key"];
  if (given === undefined) return null;
  if (timesSent(request) > 1) throw invalid("stands there twice");
  const value = String(given).trim();
  const key = QUOTED.exec(value)?.[1]?.replace(/\\(.)/g, "$1") ?? (PLAIN.test(value) ? value : null);
  if (key === null)
    throw invalid('expected plain ASCII text, or the same in double quotes with \\" and \\\\ for " and \\');
  if (key === "") throw invalid("is empty");
  return key;
}

/** Node joins repeated headers into one text, which would pass for another key. */
function timesSent(request: FastifyRequest): number {
  return request.raw.rawHeaders.filter((part, at) => at % 2 === 0 && part.toLowerCase() === "idempotency-key").length;
}

/** The id to submit under: the body's, or the key where the body has none. */
export function idFrom(request: FastifyRequest, given: string | undefined): string | undefined {
  const key = idempotencyKey(request);
  if (key === null) return given;
  if (given !== undefined && given !== key) throw invalid("differs from the id in the body; send only one of them");
  return key;
}

function invalid(fault: string): GivewayError {
  return new GivewayError("invalid_id", `${HEADER}: ${fault}`, { field: HEADER });
}
