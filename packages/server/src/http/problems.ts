import { isErrorCode, makeProblem, PROBLEM_MEDIA_TYPE, type Problem } from "@giveway/api";
import { type ErrorCode, GivewayError } from "@giveway/kernel";
import type { FastifyReply } from "fastify";

/** A problem and what its answer carries beside it. */
export interface Failure {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** Worth a line in the log: our fault, not the caller's. */
  readonly unexpected: boolean;
}

export interface FailureContext {
  /** Bytes; named in the answer to a body above it. */
  readonly bodyLimit: number;
  /** Leads from an answer to its line in the log. */
  readonly requestId: string;
}

/** Turns whatever was thrown into a problem. What is not a coded error of ours tells nothing of itself to the outside. */
export function failureOf(error: unknown, context: FailureContext): Failure {
  const known = isCoded(error) ? error : fromFramework(error, context.bodyLimit);
  if (known === null) {
    const detail = `something unexpected went wrong; the server's log has it under request ${context.requestId}`;
    return { problem: makeProblem("internal", detail), headers: {}, unexpected: true };
  }
  const problem = makeProblem(known.code, oneLine(known.message), known);
  return { problem, headers: headersOf(known, problem.status), unexpected: problem.status === 500 };
}

/** By shape, not by class: a second copy of the kernel in a program has its own class. */
function isCoded(error: unknown): error is GivewayError {
  return error instanceof Error && "code" in error && isErrorCode(error.code) && "retryable" in error;
}

/** The framework's own refusals, in our words. */
function fromFramework(error: unknown, bodyLimit: number): GivewayError | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new GivewayError("body_too_large", `the body is larger than the limit of ${bodyLimit} bytes`);
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new GivewayError("unsupported_media_type", "send the body as Content-Type: application/json", {
        field: "Content-Type",
      });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new GivewayError("bad_request", "the body does not have the length that Content-Length says", {
        field: "Content-Length",
      });
    case "FST_ERR_BAD_URL":
      return new GivewayError("bad_request", "the path is not valid URL-encoded UTF-8");
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new GivewayError("invalid_id", "a part of the path is longer than any id or name can be");
    case "ECONNRESET":
    case "ERR_STREAM_PREMATURE_CLOSE":
      return new GivewayError("bad_request", "the body broke off");
    default:
      return null;
  }
}

/** Seconds to wait where the error itself names no time. */
const PAUSES: Readonly<Record<number, number>> = { 429: 1, 503: 1, 507: 5 };

function headersOf(error: GivewayError, status: number): Record<string, string> {
  const pause = error.retryAfter === undefined ? PAUSES[status] : Math.max(1, Math.ceil(error.retryAfter / 1000));
  return {
    ...(pause === undefined ? {} : { "retry-after": String(pause) }),
    ...(status === 401 ? { "www-authenticate": 'Bearer realm="giveway"' } : {}),
    ...(error.code === "unsupported_media_type" ? { "accept-encoding": "identity" } : {}),
  };
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, " ");

/** As bytes: to text the framework adds a charset, which this media type does not have. */
export function sendFailure(reply: FastifyReply, failure: Failure): FastifyReply {
  return reply
    .code(failure.problem.status)
    .headers(failure.headers)
    .type(PROBLEM_MEDIA_TYPE)
    .send(Buffer.from(JSON.stringify(failure.problem)));
}

/** A problem as a whole HTTP/1.1 answer, for requests that never became one. */
export function rawProblem(code: ErrorCode, detail: string, status?: number): string {
  const problem = makeProblem(code, detail, { status });
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
