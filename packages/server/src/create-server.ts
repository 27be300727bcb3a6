import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { GivewayError } from "@giveway/kernel";
import Fastify, { type FastifyInstance } from "fastify";
import { BulkRuns } from "./bulk/bulk-runs.ts";
import { EventFeed } from "./events/event-feed.ts";
import { useJsonBodies } from "./http/body-parser.ts";
import { ClientErrors } from "./http/client-errors.ts";
import { useGuards } from "./http/guards.ts";
import { registerOperations } from "./http/register.ts";
import { type ProblemAnswers, problemAnswers, useProblems } from "./http/use-problems.ts";
import { compileOptions, type ServerOptions, type ServerSettings } from "./options.ts";
import { bulkHandlers } from "./routes/bulk.ts";
import { documentHandlers } from "./routes/documents.ts";
import { healthHandlers } from "./routes/health.ts";
import { nodeHandlers } from "./routes/node.ts";
import { queueHandlers } from "./routes/queues.ts";
import { taskHandlers } from "./routes/tasks.ts";

export interface Server {
  readonly app: FastifyInstance;
  /** Resolves once connections are taken. Throws `invalid_config` where the address can't be had. */
  listen(): Promise<Listening>;
  /** Takes nothing new, ends event streams, lets running requests finish. The scheduler stays as it is. Idempotent. */
  close(): Promise<void>;
}

export interface Listening {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** A path part holds up to 255 characters of an id, each up to nine bytes once URL-encoded. */
const MAX_PATH_PART = 4096;

/** The HTTP face of a scheduler. Throws `invalid_config` for options that can't stand, such as an open address without tokens. */
export function createServer(options: ServerOptions): Server {
  const settings = compileOptions(options);
  const { scheduler } = settings;
  const feed = new EventFeed({
    ...settings.events,
    subscribe: (listener) => scheduler.subscribe(listener),
    nodeId: () => scheduler.nodeId,
  });
  const runs = new BulkRuns(scheduler, (error, bulk) =>
    settings.logger.error({ event: "bulk_failed", bulk, err: error }, "a bulk run failed unexpectedly"),
  );
  let closing: Promise<void> | null = null;
  const isClosing = () => closing !== null;

  const problems = problemAnswers(settings);
  const app = createApp(settings, problems);
  useJsonBodies(app);
  useGuards(app, settings, isClosing);
  useProblems(app, problems);
  logRequests(app, settings);
  registerOperations(app, {
    ...taskHandlers(scheduler, problems.toProblem),
    ...bulkHandlers(runs),
    ...queueHandlers(scheduler),
    ...nodeHandlers(scheduler, feed),
    ...healthHandlers(scheduler, isClosing),
    ...documentHandlers(),
  });

  async function closeAll(): Promise<void> {
    const force = setTimeout(() => app.server.closeAllConnections(), settings.timeouts.close);
    feed.close();
    runs.stop();
    await app.close();
    clearTimeout(force);
  }
  return {
    app,
    listen: () => listen(app, settings),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function createApp(settings: ServerSettings, { onError }: ProblemAnswers): FastifyInstance {
  const { timeouts } = settings;
  const clientErrors = new ClientErrors();
  const app = Fastify({
    logger: false,
    bodyLimit: settings.bodyLimit,
    routerOptions: { maxParamLength: MAX_PATH_PART },
    genReqId: () => randomUUID(),
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: onError,
    clientErrorHandler: (error, socket) => clientErrors.answer(error, socket),
    http: {
      headersTimeout: Math.min(timeouts.headers, timeouts.request),
      connectionsCheckingInterval: Math.min(timeouts.request, 30_000),
    },
  });
  app.addHook("onRequest", async (_request, reply) => clientErrors.track(reply.raw));
  return app;
}

function logRequests(app: FastifyInstance, { logger }: ServerSettings): void {
  if (logger.isLevelEnabled?.("debug") === false) return;
  app.addHook("onResponse", async (request, reply) => {
    const { operation } = request.routeOptions.config;
    if (operation === "livez" || operation === "readyz" || operation === "healthz") return;
    logger.debug(
      {
        event: "http_request",
        requestId: request.id,
        method: request.method,
        url: request.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ...(request.caller === null ? {} : { by: request.caller.by }),
      },
      "answered a request",
    );
  });
}

async function listen(app: FastifyInstance, { host, port }: ServerSettings): Promise<Listening> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new GivewayError("invalid_config", `can't listen on ${host}:${port}: ${reasonOf(error)}`, {
      field: "port",
      cause: error,
    });
  }
  const address = app.server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}`, host, port: address.port };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EADDRINUSE") return "the port is taken; choose another one, or stop what holds it";
  if (code === "EACCES") return "this user may not take the port; choose one above 1023";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return "this machine has no such address";
  return error instanceof Error ? error.message : "unknown reason";
}
