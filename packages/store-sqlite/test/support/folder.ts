import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder in memory, where the system has such: for tests of many commits that are not about the disk. */
export function fastFolder(): string {
  return deletedLater(makeFastFolder());
}

/** The same, to be deleted by the caller. */
export function makeFastFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "giveway-sqlite-"));
}

/** A folder of the test's own, deleted with all it holds when the test ends. */
export function testFolder(): string {
  return deletedLater(mkdtempSync(join(tmpdir(), "giveway-sqlite-")));
}

function deletedLater(folder: string): string {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function testFile(): string {
  return join(testFolder(), "ledger.db");
}
