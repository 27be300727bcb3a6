import {
  check,
  type Operation,
  type OperationId,
  operations,
  pathParameters,
  type RawQuery,
  readQuery,
} from "@giveway/api";
import { type ErrorCode, GivewayError } from "@giveway/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../auth/authenticate.ts";
import type { Handlers, JsonAnswer, TextAnswer } from "./handler.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: OperationId;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}

type AnyHandler = (call: {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}) => Promise<JsonAnswer<unknown> | TextAnswer>;

/** Registers every operation of the table: what it describes is what is checked before its handler runs. */
export function registerOperations(app: FastifyInstance, handlers: Handlers): void {
  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
    const params = pathParameters(operation.path);
    const handler = handlers[id] as unknown as AnyHandler;
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      exposeHeadRoute: operation.method === "GET" && id !== "streamEvents",
      config: { operation: id },
      handler: async (request, reply) => {
        const answer = await handler({
          params: check(params, request.params),
          query: queryOf(operation, request),
          body: bodyOf(operation, request),
          caller: callerOf(request),
          request,
          reply,
        });
        return answer === null ? reply : send(reply, answer);
      },
    });
  }
}

function queryOf(operation: Operation, request: FastifyRequest): unknown {
  if (operation.query !== undefined)
    return check(operation.query, readQuery(request.query as RawQuery), "invalid_filter");
  const [unknown] = Object.keys(request.query as object);
  if (unknown === undefined || operation.access === "open") return undefined;
  throw new GivewayError("invalid_option", `${unknown}: this call takes no such parameter`, { field: unknown });
}

function bodyOf(operation: Operation, request: FastifyRequest): unknown {
  if (operation.body === undefined) return undefined;
  if (request.body !== undefined) return check(operation.body, request.body);
  if (operation.bodyOptional === true) return {};
  throw new GivewayError("invalid_json", "this call needs a JSON body, sent as Content-Type: application/json");
}

function callerOf(request: FastifyRequest): Caller {
  return request.caller ?? { role: "viewer", by: "anonymous" };
}

function send(reply: FastifyReply, answer: JsonAnswer<unknown> | NonNullable<TextAnswer>): FastifyReply {
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if ("text" in answer) return reply.type(answer.mediaType).send(answer.text);
  reply.code(answer.status ?? 200);
  if (answer.body === undefined) return reply.send();
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(answer.body));
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}
const knownPaths: readonly KnownPath[] = Object.values<Operation>(operations).map(({ path, method }) => ({
  pattern: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  methods: method === "GET" && path !== operations.streamEvents.path ? ["GET", "HEAD"] : [method],
}));

/** What to answer where no route fits: 405 with the methods that do, or 404. */
export function noSuchRoute(request: FastifyRequest): { readonly error: GivewayError; readonly allow: string | null } {
  const path = request.url.split("?", 1)[0]!;
  const methods = new Set(knownPaths.filter(({ pattern }) => pattern.test(path)).flatMap((known) => known.methods));
  const code: ErrorCode = methods.size === 0 ? "not_found" : "method_not_allowed";
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  if (methods.size === 0) {
    return { error: new GivewayError(code, `there is nothing at ${shown}; /docs lists what there is`), allow: null };
  }
  const allow = [...methods].toSorted().join(", ");
  return { error: new GivewayError(code, `${request.method} is not possible at ${shown}; ${allow} is`), allow };
}
