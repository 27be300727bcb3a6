import { read } from "../safe-read.ts";

/** A type's own word on an error: true, false, or undefined for no opinion. */
export type RetryRule = (error: unknown) => boolean | undefined;

/** Lost connections, time-outs, name servers that don't answer, and ledgers or databases that are busy: worth another attempt. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "ESOCKETTIMEDOUT",
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "EAI_AGAIN",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTUNREACH",
  "EBUSY",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_SOCKET",
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
]);

/** 4xx answers that ask for patience. All others say that the request itself is wrong. */
const RETRYABLE_CLIENT_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);
/** 5xx answers that will be the same next time: not implemented, version not supported, a log-in page in the way. */
const FINAL_SERVER_STATUS: ReadonlySet<number> = new Set([501, 505, 511]);

/** Names of errors that a wrong argument or a slip in the program causes; a repeat meets them again. */
const ARGUMENT_ERRORS: ReadonlySet<string> = new Set([
  "TypeError",
  "RangeError",
  "SyntaxError",
  "ReferenceError",
  "URIError",
  "EvalError",
]);

/** How far down a chain of causes the table looks. */
const MAX_CAUSES = 5;

/**
 * Whether a failed attempt may succeed when repeated (A10). In this order: the error's own boolean `retryable`; the type's rule (one that
 * throws has no opinion); the built-in table. What nobody knows is retryable: a repeat that fails costs little, a task given up wrongly much.
 *
 * The table asks the error, then its causes, for a known code or HTTP status, and only then for the error's name: `fetch` reports a lost
 * connection as a TypeError whose cause has the code.
 */
export function isRetryable(error: unknown, typeRule: RetryRule | null): boolean {
  const own = read(error, "retryable");
  if (typeof own === "boolean") return own;
  return askRule(error, typeRule) ?? askTable(error) ?? true;
}

function askRule(error: unknown, rule: RetryRule | null): boolean | undefined {
  if (rule === null) return undefined;
  try {
    const answer: unknown = rule(error);
    return typeof answer === "boolean" ? answer : undefined;
  } catch {
    return undefined;
  }
}

function askTable(error: unknown): boolean | undefined {
  let link = error;
  for (let depth = 0; depth <= MAX_CAUSES && link !== undefined; depth += 1) {
    const answer = byCode(link) ?? byStatus(link);
    if (answer !== undefined) return answer;
    link = read(link, "cause");
  }
  return byName(error);
}

function byCode(error: unknown): boolean | undefined {
  const code = read(error, "code");
  return typeof code === "string" && RETRYABLE_CODES.has(code) ? true : undefined;
}

function byStatus(error: unknown): boolean | undefined {
  const status = read(error, "status") ?? read(error, "statusCode") ?? read(read(error, "response"), "status");
  if (typeof status !== "number" || !Number.isInteger(status)) return undefined;
  if (status >= 500 && status <= 599) return !FINAL_SERVER_STATUS.has(status);
  if (status >= 400 && status <= 499) return RETRYABLE_CLIENT_STATUS.has(status);
  return undefined;
}

function byName(error: unknown): boolean | undefined {
  // undici's words for a connection that ended without a code.
  const message = read(error, "message");
  if (message === "fetch failed" || message === "terminated") return true;
  const name = read(error, "name");
  return typeof name === "string" && ARGUMENT_ERRORS.has(name) ? false : undefined;
}
