import { GivewayError } from "@giveway/kernel";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isNestedDeeper, MAX_NESTING, protoKeyIn } from "./json-guard.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Makes JSON, as UTF-8 and not compressed, the only kind of body. */
export function useJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      checkCharset(request);
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Refuses what would have to be unpacked first: a small body could become a huge one. */
export function refuseEncodedBody(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding.trim().toLowerCase() === "identity") return;
  throw new GivewayError(
    "unsupported_media_type",
    `bodies are taken as they are, not in Content-Encoding ${printable(encoding)}`,
    {
      field: "Content-Encoding",
    },
  );
}

function checkCharset(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers["content-type"] ?? "")?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new GivewayError("unsupported_media_type", `bodies are UTF-8, not ${printable(charset)}`, {
    field: "Content-Type",
  });
}

/** An empty body is no body. */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (isNestedDeeper(body, MAX_NESTING)) {
    throw new GivewayError("invalid_json", `the body nests deeper than ${MAX_NESTING} levels`);
  }
  const text = decode(body);
  const value = parse(text);
  const path = text.includes("__proto__") || text.includes("\\u") ? protoKeyIn(value) : null;
  if (path !== null) {
    throw new GivewayError("invalid_json", `${path}: no key may be called __proto__`, { field: path });
  }
  return value;
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new GivewayError("invalid_json", "the body is not valid UTF-8");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new GivewayError("invalid_json", `the body is not JSON: ${printable(reason)}`);
  }
}

/** One short line of what came from outside. */
function printable(text: string): string {
  const line = text.replace(/\p{C}+/gu, " ").trim();
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
