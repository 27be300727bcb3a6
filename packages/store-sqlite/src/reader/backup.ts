import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { GivewayError } from "@giveway/kernel";
import { checkLibrary } from "../connection/pragmas.ts";
import type { OpenDriver } from "../driver/driver.ts";
import { ledgerError } from "../errors.ts";
import type { LedgerSettings } from "../options.ts";

/**
 * Copies the ledger as it stands into a new file while writing goes on (D5): `VACUUM INTO`, from a connection of its own, reads one snapshot.
 * The copy appears under its name only once it is complete and synced. Answers its size in bytes. Errors: `invalid_option` where the target
 * exists, `ledger_full`, `ledger_read_only`.
 */
export function backupTo(open: OpenDriver, settings: LedgerSettings, target: string): number {
  const path = resolve(target);
  if (existsSync(path)) throw exists(path);
  const partial = `${path}.partial-${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    copy(open, settings, partial);
    syncFile(partial);
    publish(partial, path);
    syncFolder(dirname(path));
    return statSync(path).size;
  } catch (error) {
    throw ledgerError(error, settings.file, `copying it to ${path}`);
  } finally {
    rmSync(partial, { force: true });
  }
}

function copy(open: OpenDriver, { file, busyTimeout }: LedgerSettings, partial: string): void {
  rmSync(partial, { force: true });
  const driver = open(file, busyTimeout);
  try {
    checkLibrary(driver, file);
    driver.prepare("VACUUM INTO ?").run(partial);
  } finally {
    driver.close();
  }
}

/** Gives the file its name unless that was taken meanwhile: a link never replaces. Where there are no links, a rename has to do. */
function publish(partial: string, path: string): void {
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || existsSync(path)) throw exists(path);
    renameSync(partial, path);
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the name itself durable, where a folder can be opened. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function exists(path: string): GivewayError {
  return new GivewayError("invalid_option", `backup: ${path} exists; name a file that doesn't`, { field: "target" });
}
