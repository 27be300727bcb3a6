import type { SettingOverride } from "../task-store.ts";

/** Live changes that win over code, one per scope, name and key. */
export class SettingTable {
  readonly #rows = new Map<string, SettingOverride>();

  all(): SettingOverride[] {
    return [...this.#rows.values()];
  }

  /** Sets or, with a null value, resets one; answers the one before. */
  set(change: SettingOverride): SettingOverride | null {
    const place = JSON.stringify([change.scope, change.name, change.key]);
    const before = this.#rows.get(place) ?? null;
    if (change.value === null) this.#rows.delete(place);
    else this.#rows.set(place, { ...change });
    return before;
  }
}
