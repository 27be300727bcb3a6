import type { SettingOverride } from "@giveway/store";
import type { Driver, Row } from "../driver/driver.ts";

/** Sets or resets one live setting; answers the one before. */
export function prepareOverride(driver: Driver): (change: SettingOverride) => SettingOverride | null {
  const read = driver.prepare(
    "SELECT scope, name, key, value, by, at FROM setting WHERE scope = ? AND name = ? AND key = ?",
  );
  const write = driver.prepare(
    `INSERT INTO setting (scope, name, key, value, by, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (scope, name, key) DO UPDATE SET value = excluded.value, by = excluded.by, at = excluded.at`,
  );
  const drop = driver.prepare("DELETE FROM setting WHERE scope = ? AND name = ? AND key = ?");
  return ({ scope, name, key, value, by, at }) => {
    const before = read.get(scope, name, key);
    if (value === null) drop.run(scope, name, key);
    else write.run(scope, name, key, value, by, at);
    return before === undefined ? null : settingOf(before);
  };
}

export function prepareOverrides(driver: Driver): () => SettingOverride[] {
  const all = driver.prepare("SELECT scope, name, key, value, by, at FROM setting");
  return () => all.all().map(settingOf);
}

function settingOf(row: Row): SettingOverride {
  const [scope, name, key, value, by, at] = row as [SettingOverride["scope"], string, string, string, string, number];
  return { scope, name, key, value, by, at };
}
