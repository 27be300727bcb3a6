import type { TypeName } from "./ids.ts";
import { canonicalJson } from "./json/canonical.ts";
import { payloadHash } from "./payload-hash.ts";
import type { JsonText } from "./task.ts";

/** What an id stands for: a task's row, or the memory of one whose row is gone. */
export type KnownTask =
  | { readonly type: TypeName; readonly payload: JsonText }
  | { readonly type: TypeName; readonly payloadHash: string };

/** `same`: a repeat of the same submit. `conflict`: the id is taken by something else, and `field` says by what it differs. */
export type DuplicateVerdict =
  | { readonly kind: "same" }
  | { readonly kind: "conflict"; readonly field: "type" | "payload" };

/**
 * Judges a submit whose id is known (A8, V-29): same type and same payload is a repeat, whatever the order of its keys. An edited payload
 * counts as the task's payload.
 */
export function judgeDuplicate(
  existing: KnownTask,
  incoming: { readonly type: TypeName; readonly payload: JsonText },
): DuplicateVerdict {
  if (existing.type !== incoming.type) return { kind: "conflict", field: "type" };
  return samePayload(existing, incoming.payload) ? { kind: "same" } : { kind: "conflict", field: "payload" };
}

function samePayload(existing: KnownTask, incoming: JsonText): boolean {
  if ("payloadHash" in existing) return existing.payloadHash === payloadHash(canonicalJson(incoming));
  // Equal text is the common case of a repeat and needs no parsing.
  return existing.payload === incoming || canonicalJson(existing.payload) === canonicalJson(incoming);
}
