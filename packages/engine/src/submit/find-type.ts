import { GivewayError, type QueueName, queueName, type TypeName, typeName } from "@giveway/kernel";
import { Checks, MAX_NAME, shown } from "../config/checks.ts";
import type { CompiledConfig } from "../config/compile-config.ts";
import { DEFAULT_QUEUE } from "../config/compile-type.ts";
import type { CompiledType } from "../config/compiled.ts";
import { didYouMean } from "../config/near-match.ts";

/** Names shown of a longer list. */
const SHOWN = 10;

const checks = new Checks("unknown_type");

/** The type a submit names; null for one without handler here where those are allowed. Throws `unknown_type` with near matches. */
export function findType(
  config: CompiledConfig,
  reference: unknown,
): { readonly name: TypeName; readonly compiled: CompiledType | null } {
  const value = nameOf(reference);
  const compiled = typeof value === "string" ? config.types.get(typeName(value)) : undefined;
  if (compiled !== undefined) return { name: compiled.type, compiled };
  if (config.allowUnknownTypes) return { name: typeName(checks.name(value, "type", MAX_NAME)), compiled: null };
  const known = [...config.types.keys()];
  const hint = typeof value === "string" ? didYouMean(value, known) : "";
  throw new GivewayError("unknown_type", `type: ${shown(value)} has no handler here${hint}${listed(known)}`, {
    field: "type",
  });
}

/** The name in a `TypeRef`. */
function nameOf(ref: unknown): unknown {
  return typeof ref === "object" && ref !== null && "type" in ref ? ref.type : ref;
}

/** The queue of a submit: its own, its type's, or `default`. Throws `unknown_queue` with near matches. */
export function findQueue(config: CompiledConfig, value: unknown, type: CompiledType | null): QueueName {
  if (value === undefined) return type?.queue ?? DEFAULT_QUEUE;
  if (typeof value === "string" && config.queues.has(queueName(value))) return queueName(value);
  if (config.allowUnknownTypes) return queueName(new Checks("unknown_queue").name(value, "queue", MAX_NAME));
  throw unknownQueue(value, [...config.queues.keys()]);
}

export function unknownQueue(value: unknown, known: readonly string[]): GivewayError {
  const hint = typeof value === "string" ? didYouMean(value, known) : "";
  return new GivewayError("unknown_queue", `queue: there is no queue ${shown(value)} here${hint}${listed(known)}`, {
    field: "queue",
  });
}

function listed(known: readonly string[]): string {
  if (known.length === 0) return " (none is known)";
  const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : "";
  return ` (known: ${known.slice(0, SHOWN).join(", ")}${more})`;
}
