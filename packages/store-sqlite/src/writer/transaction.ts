import type { Driver, Statement } from "../driver/driver.ts";
import type { WriteCall } from "../wire/calls.ts";
import { flushContext, invalidateContext, type WriteContext } from "./context.ts";
import type { Operations } from "./operations.ts";

export type CallResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * One transaction for all calls of a commit. Always IMMEDIATE: a transaction that first reads and then writes is refused at once when another
 * process wrote in between, whatever the busy time-out (D4).
 */
export class Transactions {
  readonly #driver: Driver;
  readonly #context: WriteContext;
  readonly #operations: Operations;
  readonly #dataVersion: Statement;
  readonly #onForeignCommit: () => void;
  readonly #onWait: (ms: number) => void;
  #version: number;

  constructor(
    driver: Driver,
    context: WriteContext,
    operations: Operations,
    events: { foreignCommit(): void; waited(ms: number): void },
  ) {
    this.#driver = driver;
    this.#context = context;
    this.#operations = operations;
    this.#onForeignCommit = events.foreignCommit;
    this.#onWait = events.waited;
    this.#dataVersion = driver.prepare("PRAGMA data_version");
    this.#version = this.#readVersion();
  }

  /** Runs all calls in one go. Whatever one of them throws, nothing of any is written. */
  all(calls: readonly WriteCall[]): CallResult[] {
    return this.#within(() => calls.map((call) => ({ ok: true, answer: this.#run(call) })));
  }

  /**
   * The same with a savepoint around each call, so that one that fails takes back only itself. Used once `all` failed for a reason of one
   * call's own; nearly every commit does without its cost.
   */
  each(calls: readonly WriteCall[]): CallResult[] {
    return this.#within(() => calls.map((call) => this.#runApart(call)));
  }

  /** A small write of the thread's own. */
  own(write: () => void): void {
    this.#within(write);
  }

  /** Whether another process has written since the last look; forgets what was cached if so. */
  noticeForeignCommit(): boolean {
    const version = this.#readVersion();
    if (version === this.#version) return false;
    this.#version = version;
    invalidateContext(this.#context);
    this.#onForeignCommit();
    return true;
  }

  #within<Value>(work: () => Value): Value {
    const asked = performance.now();
    try {
      this.#driver.exec("BEGIN IMMEDIATE");
    } finally {
      this.#onWait(performance.now() - asked);
    }
    try {
      this.noticeForeignCommit();
      const value = work();
      flushContext(this.#context);
      this.#driver.exec("COMMIT");
      return value;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #runApart(call: WriteCall): CallResult {
    flushContext(this.#context);
    this.#driver.exec("SAVEPOINT one");
    try {
      const answer = this.#run(call);
      flushContext(this.#context);
      this.#driver.exec("RELEASE one");
      return { ok: true, answer };
    } catch (error) {
      this.#driver.exec("ROLLBACK TO one; RELEASE one");
      invalidateContext(this.#context);
      return { ok: false, error };
    }
  }

  #run(call: WriteCall): unknown {
    const operations: { readonly [Name in WriteCall["name"]]: (args: never) => unknown } = this.#operations;
    return operations[call.name](call.args as never);
  }

  #rollBack(): void {
    invalidateContext(this.#context);
    try {
      this.#driver.exec("ROLLBACK");
    } catch {
      // Some errors have ended the transaction already.
    }
  }

  #readVersion(): number {
    return Number(this.#dataVersion.get()?.[0]);
  }
}
