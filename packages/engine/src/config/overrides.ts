import { laneOrders, type QueueName } from "@giveway/kernel";
import type { SettingOverride } from "@giveway/store";
import { Checks } from "./checks.ts";
import { agingSteps, burstCount, sharePercent, slotCount } from "./compile-queue.ts";
import type { QueueSettings } from "./compiled.ts";

/** The keys a live change may set. Queues: all; types: `paused`. Values are JSON: true, a number, or `{"standard":5000,"express":1000}`. */
export const QUEUE_OVERRIDE_KEYS = ["paused", "slots", "burst", "share", "steps"] as const;
export type QueueOverrideKey = (typeof QUEUE_OVERRIDE_KEYS)[number];

/**
 * A queue's settings in force: code, then the overrides of that queue (rows of other scopes and names are passed over). A row that can't be
 * read, say one of a newer release, is ignored, so that it harms nothing else.
 *
 * Where only `slots` is overridden the number of burst slots on top of them stays.
 */
export function applyOverrides(base: QueueSettings, overrides: readonly SettingOverride[]): QueueSettings {
  const values = overrideValues(base.name, overrides);
  if (values.size === 0) return base;
  const checks = new Checks("invalid_option");
  const attempt = <Value>(key: QueueOverrideKey, otherwise: Value, read: (value: unknown) => Value): Value => {
    if (!values.has(key)) return otherwise;
    try {
      return read(values.get(key));
    } catch {
      return otherwise;
    }
  };
  const slots = attempt("slots", base.slots, (value) => slotCount(checks, value, "slots"));
  const steps = attempt("steps", base.steps, (value) => agingSteps(checks, value, base.steps, "steps"));
  return {
    ...base,
    slots,
    burst: Math.max(
      slots,
      attempt("burst", base.burst - base.slots + slots, (value) => burstCount(checks, value, 1, "burst")),
    ),
    share: attempt("share", base.share, (value) => sharePercent(checks, value, "share")),
    paused: attempt("paused", base.paused, (value) => checks.flag(value, "paused")),
    steps,
    lanes: laneOrders(base.policy, steps),
  };
}

function overrideValues(queue: QueueName, overrides: readonly SettingOverride[]): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const row of overrides) {
    if (row.scope !== "queue" || row.name !== queue || row.value === null) continue;
    values.set(row.key, overrideValue(row.value));
  }
  return values;
}

/** Parsed, or undefined where it is no JSON. */
export function overrideValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Names of the types that are paused by an override. */
export function pausedTypes(overrides: readonly SettingOverride[]): ReadonlySet<string> {
  const paused = overrides.filter(
    (row) => row.scope === "type" && row.key === "paused" && row.value !== null && overrideValue(row.value) === true,
  );
  return new Set(paused.map((row) => row.name));
}
