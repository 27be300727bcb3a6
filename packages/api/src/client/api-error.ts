import { type ErrorCode, GivewayError } from "@giveway/kernel";
import { isErrorCode, type Problem } from "../problem.ts";

/** A call that the server answered with a problem. `message` is its detail: one line to show as it is. */
export class ApiError extends GivewayError {
  /** The HTTP status. */
  readonly status: number;
  readonly detail: string;
  /** The whole answer, for what a newer server adds. */
  readonly problem: Problem;

  constructor(problem: Problem, retryAfter: number | undefined) {
    super(codeOf(problem), problem.detail, {
      retryable: problem.retryable,
      ...(problem.field === undefined ? {} : { field: problem.field }),
      ...(problem.subject === undefined ? {} : { subject: problem.subject }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
    this.status = problem.status;
    this.detail = problem.detail;
    this.problem = problem;
  }
}

/** A newer server may know codes that this client does not; the raw one stays in `problem.code`. */
function codeOf(problem: Problem): ErrorCode {
  return isErrorCode(problem.code) ? problem.code : "unexpected_answer";
}

/** Reads a problem leniently: whatever is missing is filled in from the status. Null where it is no problem at all. */
export function problemFrom(body: unknown, status: number): Problem | null {
  if (typeof body !== "object" || body === null) return null;
  const { code, detail, title, type, retryable, field, subject } = body as Record<string, unknown>;
  if (typeof code !== "string" || typeof detail !== "string") return null;
  return {
    type: typeof type === "string" ? type : "about:blank",
    title: typeof title === "string" ? title : code,
    status,
    detail,
    code,
    retryable: retryable === true,
    ...(typeof field === "string" ? { field } : {}),
    ...(typeof subject === "string" ? { subject } : {}),
  };
}
