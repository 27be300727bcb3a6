import type { JsonText } from "@giveway/kernel";

/** A live change that wins over code (section 1): pause, slots, share … of one queue or type. */
export interface SettingOverride {
  readonly scope: "queue" | "type";
  readonly name: string;
  readonly key: string;
  /** JSON text, or null for none. */
  readonly value: JsonText | null;
  readonly by: string;
  readonly at: number;
}

export interface PruneRequest {
  readonly now: number;
  /** ms to keep rows of succeeded and cancelled tasks after their end: pruned once `endedAt + keep <= now`. */
  readonly keep: number;
  /** ms after their end to remember ids of succeeded ones: known until `endedAt + remember <= now`. A row pruned later than that leaves none. */
  readonly remember: number;
  readonly limit: number;
}

export interface StoreInfo {
  readonly location: string;
  readonly schemaVersion: number;
  readonly engineVersion: string;
  readonly bytes: number;
  readonly settings: Readonly<Record<string, string | number>>;
}
