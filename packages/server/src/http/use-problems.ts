import type { IncomingMessage } from "node:http";
import type { Problem } from "@giveway/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setSecurityHeaders } from "../guard/security-headers.ts";
import type { ServerSettings } from "../options.ts";
import { failureOf, sendFailure } from "./problems.ts";
import { noSuchRoute } from "./register.ts";

/** Bytes of a refused body that are read and dropped, so that its sender gets to read the answer instead of a broken connection. */
const MAX_DROPPED = 64 * 1024 * 1024;

export interface ProblemAnswers {
  readonly onError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  /** For problems within another answer. */
  readonly toProblem: (error: unknown, request: FastifyRequest) => Problem;
}

/** One way from anything thrown to an answer: unexpected errors go to the log whole and to the outside as one line. */
export function problemAnswers({ bodyLimit, logger }: ServerSettings): ProblemAnswers {
  const judge = (error: unknown, request: FastifyRequest) => {
    const failure = failureOf(error, { bodyLimit, requestId: request.id });
    if (failure.unexpected) {
      const { method, url } = request;
      logger.error(
        { event: "http_error", requestId: request.id, method, url, err: error },
        "a request failed unexpectedly",
      );
    }
    return failure;
  };
  return {
    toProblem: (error, request) => judge(error, request).problem,
    onError(error, request, reply) {
      const failure = judge(error, request);
      setSecurityHeaders(reply);
      if (failure.problem.status === 413) dropRest(request.raw);
      // The framework closes the connection after a refused body; Node drops what is left of it and can go on.
      reply.removeHeader("connection");
      sendFailure(reply, failure);
    },
  };
}

export function useProblems(app: FastifyInstance, { onError }: ProblemAnswers): void {
  app.setErrorHandler(onError);
  app.setNotFoundHandler((request, reply) => {
    const { error, allow } = noSuchRoute(request);
    if (allow !== null) reply.header("allow", allow);
    onError(error, request, reply);
  });
}

function dropRest(request: IncomingMessage): void {
  let dropped = 0;
  request.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > MAX_DROPPED) request.destroy();
  });
}
