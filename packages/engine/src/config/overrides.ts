import type { SettingOverride } from "@giveway/store";
import type { QueueSettings } from "./compiled.ts";

/** The keys a live change may set. Queues: all; types: `paused`. Values are JSON: true, a number, or `{"standard":5000,"express":1000}`. */
export const QUEUE_OVERRIDE_KEYS = ["paused", "slots", "burst", "share", "steps"] as const;
export type QueueOverrideKey = (typeof QUEUE_OVERRIDE_KEYS)[number];

/** A queue's settings in force: code, then the overrides of that queue. An override that can't be read is ignored. */
export function applyOverrides(base: QueueSettings, overrides: readonly SettingOverride[]): QueueSettings {
  void overrides;
  return base;
}

/** Names of the types that are paused by an override. */
export function pausedTypes(overrides: readonly SettingOverride[]): ReadonlySet<string> {
  void overrides;
  return new Set();
}
