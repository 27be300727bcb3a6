import { GivewayError } from "@giveway/kernel";
import type { FastifyReply, FastifyRequest } from "fastify";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses changes that a browser sends on behalf of another site. Browsers say so themselves: `Sec-Fetch-Site` where the connection is
 * secure or local, else `Origin`. Programs send neither. Another port of this machine is another site too.
 */
export function refuseCrossSite(request: FastifyRequest, origins: readonly string[]): void {
  if (SAFE.has(request.method)) return;
  const { origin, host, "sec-fetch-site": site } = request.headers;
  if (origin !== undefined && origins.includes(origin)) return;
  const isForeign = site === undefined ? origin !== undefined && hostOf(origin) !== host : !isOwn(site);
  if (isForeign) {
    throw new GivewayError(
      "forbidden",
      "this change was sent by a page of another site; only listed origins may do that",
    );
  }
}

/** `none`: typed or bookmarked by the person. */
const isOwn = (site: string | readonly string[]): boolean => site === "same-origin" || site === "none";
const hostOf = (origin: string): string | null => /^https?:\/\/([^/]+)$/.exec(origin)?.[1] ?? null;

/** Lets pages of the listed origins read answers; without a list there is no such header at all. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  if (origins.length === 0) return;
  reply.header("vary", "Origin");
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return;
  reply.header("access-control-allow-origin", origin);
  reply.header("access-control-expose-headers", "Location, Retry-After");
}

/** Whether this is a browser's question before a request to another site; then it is answered. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  const { origin, "access-control-request-method": asked } = request.headers;
  if (request.method !== "OPTIONS" || asked === undefined) return false;
  if (origin === undefined || !origins.includes(origin)) return false;
  reply
    .header("access-control-allow-methods", "GET, POST, PATCH, DELETE")
    .header("access-control-allow-headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID")
    .header("access-control-max-age", "600")
    .code(204)
    .send();
  return true;
}
