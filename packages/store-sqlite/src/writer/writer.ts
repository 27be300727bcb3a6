import type { GivewayError } from "@giveway/kernel";
import { openWriter } from "../connection/open.ts";
import { readPragmas } from "../connection/pragmas.ts";
import { Ballast } from "../disk/ballast.ts";
import { SpaceGuard } from "../disk/space.ts";
import type { Driver, OpenDriver } from "../driver/driver.ts";
import { failureOf } from "../driver/failure.ts";
import { isFatal, ledgerError, toWire, type WireError } from "../errors.ts";
import type { LedgerSettings } from "../options.ts";
import { ownProcess } from "../process/identity.ts";
import { type LeaseNow, prepareRenew } from "../queries/nodes.ts";
import type { WriteCall } from "../wire/calls.ts";
import { Checkpointer } from "./checkpoint.ts";
import { createContext } from "./context.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { prepareOperations } from "./operations.ts";
import { type CallResult, Transactions } from "./transaction.ts";

export interface WriterEvents {
  /** Another process wrote. */
  wake(): void;
  /** It can't go on; it takes no further commit. */
  fatal(error: WireError): void;
}

/** Answers in the order of the calls. */
export interface CommitReply {
  readonly results: readonly CommitResult[];
  /** How long it took, ms. */
  readonly ms: number;
}
export type CommitResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly error: WireError };

/**
 * # The writing side of the ledger
 *
 * Owns the one connection that writes. Everything in it is synchronous; whoever calls it (the thread, or `inline` the caller's own loop)
 * hands in one batch at a time and gets all answers once they are durable. What can go wrong:
 *
 * - A call fails by itself: all others still go through, see `Transactions.each`.
 * - The lock is held elsewhere for longer than the busy time-out: the whole batch is refused with `ledger_busy`, nothing was written.
 * - The disk is full: inserts are refused; everything else is tried once more after the ballast was given up.
 * - A sync fails, or the file proves damaged: fatal. What the disk holds of the last writes isn't known, so the batch gets the error and the
 *   connection takes no other.
 */
export class Writer {
  readonly #settings: LedgerSettings;
  readonly #events: WriterEvents;
  readonly #driver: Driver;
  readonly #transactions: Transactions;
  readonly #checkpointer: Checkpointer;
  readonly #keeper: LeaseKeeper;
  readonly #ballast: Ballast;
  readonly #space: SpaceGuard;
  readonly #renew: (node: string) => boolean;
  #failed: WireError | null = null;

  /** `clock`: monotonic ms, by which beats are late. Errors: those of `openWriter`. */
  constructor(
    open: OpenDriver,
    settings: LedgerSettings,
    leaseNow: LeaseNow,
    events: WriterEvents,
    clock: () => number = () => performance.now(),
  ) {
    this.#settings = settings;
    this.#events = events;
    this.#driver = openWriter(open, settings);
    this.#keeper = new LeaseKeeper(clock);
    this.#ballast = new Ballast(settings.file, settings.ballast);
    this.#space = new SpaceGuard(settings.file, settings.minFree, this.#ballast);
    const context = createContext(this.#driver);
    const operations = prepareOperations(context, this.#keeper, ownProcess(), leaseNow);
    this.#transactions = new Transactions(this.#driver, context, operations, {
      foreignCommit: () => events.wake(),
      waited: (ms) => this.#keeper.waited(ms),
    });
    this.#checkpointer = new Checkpointer(this.#driver);
    this.#renew = prepareRenew(this.#driver, leaseNow);
    this.#space.check();
  }

  /** What is in force on this connection, read back from it. */
  pragmas(): Record<string, string | number> {
    return readPragmas(this.#driver);
  }

  commit(calls: readonly WriteCall[]): CommitReply {
    const began = performance.now();
    const results = this.#failed === null ? this.#admit(calls) : calls.map(() => refused(this.#failed as WireError));
    return { results, ms: performance.now() - began };
  }

  /** To be called once the answers of a commit are on their way. */
  settleDown(): void {
    if (this.#failed !== null) return;
    try {
      if (this.#checkpointer.due) this.#checkpointer.run();
    } catch (error) {
      this.#checkpointFailed(error);
    }
  }

  /** The regular look at what others did, and at the disk. Answers the nodes whose beat is late. */
  poll(): string[] {
    if (this.#failed !== null) return [];
    try {
      this.#transactions.noticeForeignCommit();
      this.#space.check();
    } catch (error) {
      this.#failIfFatal(ledgerError(error, this.#settings.file, "looking for news"));
    }
    return this.#keeper.late();
  }

  /** Renews leases on behalf of an engine that is late though its thread is alive. Failing is no matter: the next poll tries again. */
  renewLate(nodes: readonly string[]): void {
    if (this.#failed !== null || nodes.length === 0) return;
    try {
      this.#transactions.own(() => {
        for (const node of nodes) {
          // One that was declared dead is not renewed; its engine learns it from its own beat.
          if (this.#renew(node)) this.#keeper.renewed(node);
          else this.#keeper.drop(node);
        }
      });
    } catch (error) {
      this.#failIfFatal(ledgerError(error, this.#settings.file, "renewing the lease"));
    }
  }

  /** The last connection to close copies the log back and deletes it; where that fails, the log keeps all there is for the next start. */
  async close(): Promise<void> {
    await this.#ballast.close();
    try {
      this.#driver.close();
    } catch (error) {
      this.#failIfFatal(ledgerError(error, this.#settings.file, "closing it"));
    }
  }

  /** Refuses inserts where space runs out, and commits the rest. */
  #admit(calls: readonly WriteCall[]): CommitResult[] {
    const inserts = calls.some(({ name }) => name === "insert");
    const refusal = inserts ? this.#space.refusal() : null;
    if (refusal === null) return this.#attempt(calls);
    return this.#without(calls, toWire(refusal), (others) => this.#attempt(others));
  }

  #attempt(calls: readonly WriteCall[]): CommitResult[] {
    try {
      return this.#transactions.all(calls).map((result) => this.#worded(result));
    } catch (error) {
      return this.#recover(calls, error);
    }
  }

  #recover(calls: readonly WriteCall[], error: unknown): CommitResult[] {
    switch (failureOf(error)) {
      case "full":
        return this.#makeRoom(calls, error);
      case "busy":
      case "io":
      case "read_only":
      case "cannot_open":
      case "sync":
      case "corrupt":
      case "not_a_database":
        return this.#refuseAll(calls, error);
      case "too_big":
      case "other":
      case null:
        return this.#onlyTheFaulty(calls, error);
    }
  }

  #makeRoom(calls: readonly WriteCall[], error: unknown): CommitResult[] {
    const others = calls.some(({ name }) => name !== "insert");
    this.#space.foundFull(others);
    const refusal = toWire(ledgerError(error, this.#settings.file, "writing to it"));
    return this.#without(calls, refusal, (rest) => {
      try {
        return this.#transactions.all(rest).map((result) => this.#worded(result));
      } catch (again) {
        return this.#refuseAll(rest, again);
      }
    });
  }

  #onlyTheFaulty(calls: readonly WriteCall[], error: unknown): CommitResult[] {
    if (calls.length === 1) return this.#refuseAll(calls, error);
    try {
      return this.#transactions.each(calls).map((result) => this.#worded(result));
    } catch (again) {
      return this.#refuseAll(calls, again);
    }
  }

  #refuseAll(calls: readonly WriteCall[], error: unknown): CommitResult[] {
    const coded = ledgerError(error, this.#settings.file, "writing to it");
    this.#failIfFatal(coded);
    return calls.map(() => refused(toWire(coded)));
  }

  /** Answers inserts with `refusal` and the others with what `commit` answers them. */
  #without(
    calls: readonly WriteCall[],
    refusal: WireError,
    commit: (others: readonly WriteCall[]) => CommitResult[],
  ): CommitResult[] {
    const others = calls.filter(({ name }) => name !== "insert");
    const results = others.length === 0 ? [] : commit(others);
    let next = 0;
    return calls.map(({ name }) => {
      if (name === "insert") return refused(refusal);
      next += 1;
      return results[next - 1] ?? refused(refusal);
    });
  }

  #worded(result: CallResult): CommitResult {
    if (result.ok) return result;
    return refused(toWire(ledgerError(result.error, this.#settings.file, "writing to it")));
  }

  /** A checkpoint that finds the disk full loses nothing: the log still holds it all. */
  #checkpointFailed(error: unknown): void {
    if (failureOf(error) === "full") this.#space.foundFull(true);
    else this.#failIfFatal(ledgerError(error, this.#settings.file, "copying its log back"));
  }

  #failIfFatal(error: GivewayError): void {
    if (!isFatal(error.code) || this.#failed !== null) return;
    this.#failed = toWire(error);
    this.#events.fatal(this.#failed);
  }
}

function refused(error: WireError): CommitResult {
  return { ok: false, error };
}
