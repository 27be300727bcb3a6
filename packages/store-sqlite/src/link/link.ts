import type { WireError } from "../errors.ts";
import type { WriteCall } from "../wire/calls.ts";
import type { ReadAnswer, ReadArgs, ReadName } from "../wire/reads.ts";
import type { CommitReply } from "../writer/writer.ts";

/** What the ledger reports by itself. */
export interface LinkEvents {
  wake(): void;
  fatal(error: WireError): void;
}

/** What the ledger says of itself once it is open. */
export interface OpenReport {
  readonly pragmas: Readonly<Record<string, string | number>>;
}

/**
 * The way from the store to its connections: over threads, or on the calling thread. Both sides see the same calls and answers. Rejections are
 * coded errors.
 */
export interface Link {
  open(): Promise<OpenReport>;
  /** One at a time. */
  commit(calls: readonly WriteCall[]): Promise<CommitReply>;
  read<Name extends ReadName>(name: Name, args: ReadArgs<Name>): Promise<ReadAnswer<Name>>;
  /** Answers the size of the copy in bytes. */
  backup(target: string): Promise<number>;
  close(): Promise<void>;
}

/** ms between two looks at what other processes did. */
export const POLL = 1_000;

/** Jittered by a tenth either way, so that processes that started together don't stay in step. */
export function pollDelay(): number {
  return POLL * (0.9 + Math.random() * 0.2);
}
