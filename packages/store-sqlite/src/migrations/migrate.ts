import type { Driver } from "../driver/driver.ts";
import { APPLICATION_ID, checkVersion, versionOf } from "./handshake.ts";
import { LATEST_VERSION, type MigrationStep, STEPS } from "./steps.ts";

/**
 * Brings the schema forward, all missing steps in one transaction: a crash in the middle leaves the version it had. Two processes that open
 * at once migrate once, since the version is read again under the write lock. Steps are an argument for tests of exactly that.
 */
export function migrate(driver: Driver, file: string, steps: readonly MigrationStep[] = STEPS): void {
  const latest = steps.at(-1)?.version ?? LATEST_VERSION;
  if (versionOf(driver) === latest) return;
  driver.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(driver);
    if (version > latest) checkVersion(version, file);
    for (const step of steps) {
      if (step.version > version) driver.exec(step.sql);
    }
    driver.exec(`PRAGMA user_version = ${Math.max(version, latest)}; PRAGMA application_id = ${APPLICATION_ID}`);
    driver.exec("COMMIT");
  } catch (error) {
    rollback(driver);
    throw error;
  }
}

/** Some errors have already ended the transaction; then there is nothing to roll back. */
function rollback(driver: Driver): void {
  try {
    driver.exec("ROLLBACK");
  } catch {
    // The first error is the one to tell.
  }
}
