import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder in memory, where the system has such: for tests of many commits that are not about the disk. */
export function fastFolder(): string {
  return folderIn(existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
}

/** A folder of the test's own, deleted with all it holds when the test ends. */
export function testFolder(): string {
  return folderIn(tmpdir());
}

function folderIn(parent: string): string {
  const folder = mkdtempSync(join(parent, "giveway-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function testFile(): string {
  return join(testFolder(), "ledger.db");
}
