import type { WireError } from "../errors.ts";
import type { LedgerSettings } from "../options.ts";
import type { WriteCall } from "../wire/calls.ts";
import type { ReadName } from "../wire/reads.ts";
import type { CommitReply } from "../writer/writer.ts";

/** What a thread is started with. */
export interface ThreadStart {
  readonly role: "writer" | "reader" | "backup";
  readonly settings: LedgerSettings;
  /** Only for `backup`. */
  readonly target: string | null;
}

export type ToThread =
  | { readonly kind: "commit"; readonly calls: readonly WriteCall[] }
  | { readonly kind: "read"; readonly number: number; readonly name: ReadName; readonly args: unknown }
  | { readonly kind: "pong"; readonly nodes: readonly string[] }
  | { readonly kind: "close" };

export type FromThread =
  | { readonly kind: "open"; readonly pragmas: Readonly<Record<string, string | number>> }
  | { readonly kind: "refused"; readonly error: WireError }
  | { readonly kind: "committed"; readonly reply: CommitReply }
  | { readonly kind: "answer"; readonly number: number; readonly answer: unknown }
  | { readonly kind: "failed"; readonly number: number; readonly error: WireError }
  | { readonly kind: "copied"; readonly bytes: number }
  | { readonly kind: "wake" }
  | { readonly kind: "fatal"; readonly error: WireError }
  /** Is the main loop alive? Answered by `pong`; then the thread renews the leases of these nodes. */
  | { readonly kind: "ping"; readonly nodes: readonly string[] }
  | { readonly kind: "closed" };
