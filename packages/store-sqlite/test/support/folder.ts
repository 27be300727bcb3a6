import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of the test's own, deleted with all it holds when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "giveway-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function testFile(): string {
  return join(testFolder(), "ledger.db");
}
