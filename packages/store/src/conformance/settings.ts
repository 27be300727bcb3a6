import { expect } from "vitest";
import type { SettingOverride } from "../task-store.ts";
import { T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import { byName } from "./support/recount.ts";

export function settingsSuite({ test }: Harness): void {
  const setting = (more: Partial<SettingOverride> = {}): SettingOverride => ({
    scope: "queue",
    name: "main",
    key: "slots",
    value: "4",
    by: "ada",
    at: T0,
    ...more,
  });

  test("none at first", async (s) => {
    expect(await s.store.overrides()).toEqual([]);
  });

  test("set, set again, reset: each answers the one before", async (s) => {
    expect(await s.store.override(setting())).toBeNull();
    expect(await s.store.override(setting({ value: "8", by: "bob", at: T0 + 5 }))).toEqual(setting());
    expect(await s.store.overrides()).toEqual([setting({ value: "8", by: "bob", at: T0 + 5 })]);
    expect(await s.store.override(setting({ value: null, at: T0 + 9 }))).toEqual(
      setting({ value: "8", by: "bob", at: T0 + 5 }),
    );
    expect(await s.store.overrides()).toEqual([]);
    expect(await s.store.override(setting({ value: null }))).toBeNull();
  });

  test("scope, name and key each count", async (s) => {
    const all = [
      setting(),
      setting({ scope: "type", value: "true" }),
      setting({ name: "Main", value: '"x"' }),
      setting({ key: "share", value: '{"a":[1]}' }),
      setting({ name: "main ", value: "0" }),
    ];
    for (const one of all) expect(await s.store.override(one)).toBeNull();
    expect(byName(await s.store.overrides())).toEqual(byName(all));
    await s.store.override(setting({ value: null }));
    expect(byName(await s.store.overrides())).toEqual(byName(all.slice(1)));
  });
}
