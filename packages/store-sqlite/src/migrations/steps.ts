import { FIRST_LEDGER } from "./0001-first-ledger.ts";

export interface MigrationStep {
  /** Stored as `PRAGMA user_version` once it is done. Grows by one a step. */
  readonly version: number;
  readonly sql: string;
}

/** All steps, in order. A step that was released never changes; a new one is added after it. */
export const STEPS: readonly MigrationStep[] = [{ version: 1, sql: FIRST_LEDGER }];

export const LATEST_VERSION = STEPS.length;
