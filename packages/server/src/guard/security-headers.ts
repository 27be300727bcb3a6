import type { FastifyReply } from "fastify";

/** Answers are data, never something to render, embed or keep. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cache-control": "no-store",
};

/** Pages load their own scripts and styles, and talk to their own server; nothing inline, nothing from elsewhere. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export function setSecurityHeaders(reply: FastifyReply): void {
  reply.headers(HEADERS);
}

export { HEADERS as SECURITY_HEADERS };
