/**
 * Every error a user can meet has a stable code. Codes are never reused for another meaning; `docs/reference/errors.md` lists them all
 * and a test keeps both in step. `retryable` says whether the same call may succeed later without a change by the caller.
 */
export const ERROR_CODES = {
  // Bad input: the caller has to change something.
  invalid_weight: { status: 400, retryable: false },
  invalid_duration: { status: 400, retryable: false },
  invalid_date: { status: 400, retryable: false },
  invalid_id: { status: 400, retryable: false },
  invalid_option: { status: 400, retryable: false },
  invalid_filter: { status: 400, retryable: false },
  invalid_cursor: { status: 400, retryable: false },
  invalid_json: { status: 400, retryable: false },
  invalid_payload: { status: 400, retryable: false },
  unstorable_value: { status: 400, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  unknown_type: { status: 400, retryable: false },
  unknown_queue: { status: 404, retryable: false },
  invalid_config: { status: 400, retryable: false },
  // The task's state or identity forbids it.
  id_conflict: { status: 409, retryable: false },
  duplicate_id: { status: 409, retryable: false },
  task_not_found: { status: 404, retryable: false },
  wrong_state: { status: 409, retryable: false },
  changed_meanwhile: { status: 409, retryable: true },
  // The task's end, as seen by who waits for its result.
  task_dead: { status: 409, retryable: false },
  task_cancelled: { status: 409, retryable: false },
  task_removed: { status: 410, retryable: false },
  result_timeout: { status: 504, retryable: true },
  // What a running handler meets.
  timed_out: { status: 504, retryable: true },
  lease_lost: { status: 409, retryable: false },
  shutting_down: { status: 503, retryable: true },
  retry_after: { status: 503, retryable: true },
  stale_write: { status: 409, retryable: false },
  attempt_over: { status: 409, retryable: false },
  poison: { status: 500, retryable: false },
  // The ledger.
  ledger_busy: { status: 503, retryable: true },
  ledger_full: { status: 507, retryable: true },
  ledger_read_only: { status: 503, retryable: false },
  ledger_corrupt: { status: 500, retryable: false },
  ledger_from_future: { status: 500, retryable: false },
  ledger_sync_failed: { status: 500, retryable: false },
  ledger_unsafe: { status: 500, retryable: false },
  ledger_unavailable: { status: 503, retryable: true },
  ledger_closed: { status: 503, retryable: false },
  // The host program.
  not_started: { status: 503, retryable: false },
  stopped: { status: 503, retryable: false },
  no_such_module: { status: 500, retryable: false },
  // The faces.
  unauthorized: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  body_too_large: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  bad_request: { status: 400, retryable: false },
  request_timeout: { status: 408, retryable: true },
  too_many_requests: { status: 429, retryable: true },
  headers_too_large: { status: 431, retryable: false },
  // What a client of the HTTP face meets before it gets an answer of ours.
  server_unreachable: { status: 503, retryable: true },
  unexpected_answer: { status: 502, retryable: false },
  not_ready: { status: 503, retryable: true },
  internal: { status: 500, retryable: false },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetails {
  /** The option, payload path or column the error is about. */
  readonly field?: string;
  /** The task, queue or node it happened to. */
  readonly subject?: string;
  readonly cause?: unknown;
  /** Overrides the code's own flag where a case differs. */
  readonly retryable?: boolean;
  /** Whole milliseconds after which a repeat is sensible. */
  readonly retryAfter?: number;
}

/** The root of all coded errors. `message` is one plain line: what happened, to what, and what to do. */
export class GivewayError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly field: string | undefined;
  readonly subject: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = details.retryable ?? ERROR_CODES[code].retryable;
    this.field = details.field;
    this.subject = details.subject;
    this.retryAfter = details.retryAfter;
  }
}

/** The HTTP status that stands for a code at the HTTP face. */
export function statusOf(code: ErrorCode): number {
  return ERROR_CODES[code].status;
}
