import { it } from "vitest";
import type { StoreListener, TaskStore } from "../../task-store.ts";
import { Subject } from "./subject.ts";

/** A fresh, empty ledger to try out. */
export interface TestLedger {
  /**
   * Opens one more connection, as another process would. The suite closes what it opened. Where it has closed them all and opens again, a
   * durable ledger shows what was written before.
   */
  open(listener?: StoreListener): Promise<TaskStore>;
  /** Takes the ledger away, with what may still be open. */
  dispose(): Promise<void>;
}
export type MakeLedger = () => Promise<TestLedger>;

export interface ConformanceOptions {
  /** Whether the ledger outlives its connections; default true. The tests of that run only then. */
  readonly durable?: boolean;
  /** Calls of the comparison with the memory store; default 20 000. */
  readonly operations?: number;
  /** Claims of the comparison with a full sort; default 400. */
  readonly claims?: number;
  /** Of all chance; default 1. A failure names the seed it happened under. */
  readonly seed?: number;
  /** ms that one test may take; default 60 000. */
  readonly timeout?: number;
}

/** What each part of the suite is handed. */
export interface Harness {
  readonly durable: boolean;
  readonly operations: number;
  readonly claims: number;
  readonly seed: number;
  readonly makeLedger: MakeLedger;
  /** One test on a ledger of its own, which has to be sound when the test ends. */
  test(title: string, body: (subject: Subject) => Promise<void>): void;
}

export function createHarness(makeLedger: MakeLedger, options: ConformanceOptions): Harness {
  const { durable = true, operations = 20_000, claims = 400, seed = 1, timeout = 60_000 } = options;
  const test: Harness["test"] = (title, body) => {
    it(title, { timeout }, async () => {
      const subject = await Subject.make(makeLedger);
      try {
        await body(subject);
        await subject.assertSound();
      } finally {
        await subject.dispose();
      }
    });
  };
  return { durable, operations, claims, seed, makeLedger, test };
}
