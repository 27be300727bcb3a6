import { GivewayError } from "@giveway/kernel";
import { type Driver, scalar } from "../driver/driver.ts";
import { LATEST_VERSION } from "./steps.ts";

/** "GWAY": in the file's header, so that a file of another program is told apart. */
export const APPLICATION_ID = 0x47574159;

/** Refuses, before anything is written, a ledger of a newer program and a database of another one. */
export function checkHandshake(driver: Driver, file: string): void {
  const application = Number(scalar(driver, "PRAGMA application_id"));
  const version = versionOf(driver);
  if (application === APPLICATION_ID) {
    checkVersion(version, file);
    return;
  }
  const objects = Number(scalar(driver, "SELECT count(*) FROM sqlite_schema"));
  if (application === 0 && version === 0 && objects === 0) return;
  throw new GivewayError(
    "ledger_unsafe",
    `${file} is a database of another program, not a ledger; nothing in it was touched: name another file`,
    { subject: file },
  );
}

export function versionOf(driver: Driver): number {
  return Number(scalar(driver, "PRAGMA user_version"));
}

/** Errors: `ledger_from_future`. */
export function checkVersion(version: number, file: string): void {
  if (version <= LATEST_VERSION) return;
  throw new GivewayError(
    "ledger_from_future",
    `the ledger ${file} has schema version ${version}, this program knows up to ${LATEST_VERSION}; use the newer program, or restore a backup made before it`,
    { subject: file },
  );
}
