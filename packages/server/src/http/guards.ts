import { type Operation, operations } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createAuthenticator, requireRole } from "../auth/authenticate.ts";
import { allowOrigin, answerPreflight, refuseCrossSite } from "../guard/cross-site.ts";
import { isAllowedHost } from "../guard/loopback.ts";
import { setSecurityHeaders } from "../guard/security-headers.ts";
import type { ServerSettings } from "../options.ts";
import { refuseEncodedBody } from "./body-parser.ts";

/**
 * What every request passes before its body is read, unknown paths included: with tokens set, who has none learns nothing but the health.
 * A browser's question about another origin carries no token and is answered before that is asked for.
 */
export function useGuards(app: FastifyInstance, settings: ServerSettings, isClosing: () => boolean): void {
  const { identify } = createAuthenticator(settings.tokens);
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request, reply) => {
    setSecurityHeaders(reply);
    allowOrigin(request, reply, settings.corsOrigins);
    const operation = operationOf(request);
    if (isClosing() && operation?.tag !== "health") {
      throw new GivewayError("shutting_down", "the server is closing; ask another one, or this one again soon");
    }
    if (settings.isOpen) refuseForeignHost(request, settings.allowedHosts);
    if (answerPreflight(request, reply, settings.corsOrigins)) return reply;
    if (operation?.access !== "open") {
      request.caller = identify(request.headers.authorization);
      if (operation !== null) requireRole(request.caller, operation.access);
    }
    refuseCrossSite(request, settings.corsOrigins);
    refuseEncodedBody(request);
    return undefined;
  });
  // Whoever connected before and asks only now gets its answer, and does not keep the server from closing.
  app.addHook("onSend", async (_request: FastifyRequest, reply: FastifyReply) => {
    if (isClosing()) reply.header("connection", "close");
  });
}

function operationOf(request: FastifyRequest): Operation | null {
  const id = request.routeOptions.config.operation;
  return id === undefined ? null : operations[id];
}

function refuseForeignHost(request: FastifyRequest, allowed: readonly string[]): void {
  const { host } = request.headers;
  if (isAllowedHost(host, allowed)) return;
  throw new GivewayError(
    "forbidden",
    "without tokens the server answers to names of this machine only, such as 127.0.0.1 or localhost",
    {
      field: "Host",
    },
  );
}
