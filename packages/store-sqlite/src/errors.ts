import { ERROR_CODES, type ErrorCode, GivewayError } from "@giveway/kernel";
import { type Failure, failureOf } from "./driver/failure.ts";

/** An error as it crosses from the ledger's thread: class instances don't survive that way. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfter: number | undefined;
  readonly field: string | undefined;
}

/** ms after which a caller may sensibly repeat what a full or locked ledger refused. */
const RETRY_AFTER = 1_000;

/** Words any error of the ledger's thread as a coded one. `doing` completes "while …". */
export function ledgerError(error: unknown, file: string, doing: string): GivewayError {
  if (error instanceof GivewayError) return error;
  const failure = failureOf(error);
  const said = error instanceof Error ? error.message : String(error);
  if (failure === null) return new GivewayError("internal", `${file}: ${said} (while ${doing})`, { cause: error });
  return worded(failure, file, `${said}, while ${doing}`, error);
}

function worded(failure: Failure, file: string, said: string, cause: unknown): GivewayError {
  const subject = file;
  switch (failure) {
    case "busy":
      return new GivewayError(
        "ledger_busy",
        `the ledger ${file} is locked by another process for longer than the busy time-out (${said}); try again, or find who holds it`,
        { subject, cause, retryAfter: RETRY_AFTER },
      );
    case "full":
      return new GivewayError(
        "ledger_full",
        `the disk that holds the ledger ${file} is full (${said}); free some space, nothing that was acknowledged is lost`,
        { subject, cause, retryAfter: RETRY_AFTER },
      );
    case "sync":
      return new GivewayError(
        "ledger_sync_failed",
        `the disk failed to sync the ledger ${file} (${said}); stop using it, check the disk, and start again, which checks the ledger`,
        { subject, cause },
      );
    case "io":
      return new GivewayError(
        "ledger_unavailable",
        `reading or writing the ledger ${file} failed (${said}); whether the last write is stored is not known until it is read again`,
        { subject, cause },
      );
    case "corrupt":
      return new GivewayError(
        "ledger_corrupt",
        `the ledger ${file} is damaged (${said}); keep the file, restore a backup, or recover it with the sqlite3 tool's .recover`,
        { subject, cause },
      );
    case "not_a_database":
      return new GivewayError(
        "ledger_corrupt",
        `${file} is not a SQLite database (${said}); name another file, or restore a backup`,
        { subject, cause },
      );
    case "read_only":
      return new GivewayError(
        "ledger_read_only",
        `the ledger ${file} can't be written (${said}); check the owner and mode of the file and its folder, and whether the volume is mounted read-only`,
        { subject, cause },
      );
    case "cannot_open":
      return new GivewayError("ledger_unavailable", `the ledger ${file} can't be opened (${said})`, { subject, cause });
    case "too_big":
    case "other":
      return new GivewayError("internal", `the ledger ${file} refused a statement (${said})`, { subject, cause });
  }
}

/** After these the ledger can't go on: see `StoreListener.fatal`. */
export function isFatal(code: ErrorCode): boolean {
  return code === "ledger_sync_failed" || code === "ledger_corrupt";
}

export function toWire(error: GivewayError): WireError {
  const { code, message, retryAfter, field } = error;
  return { code, message, retryAfter, field };
}

export function fromWire({ code, message, retryAfter, field }: WireError, subject: string): GivewayError {
  return new GivewayError(Object.hasOwn(ERROR_CODES, code) ? code : "internal", message, {
    subject,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(field === undefined ? {} : { field }),
  });
}
