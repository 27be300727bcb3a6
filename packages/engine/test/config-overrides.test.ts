import { queueName } from "@giveway/kernel";
import type { SettingOverride } from "@giveway/store";
import { describe, expect, it } from "vitest";
import { Checks } from "../src/config/checks.ts";
import { compileQueue } from "../src/config/compile-queue.ts";
import { applyOverrides, pausedTypes } from "../src/config/overrides.ts";

const base = compileQueue(new Checks("invalid_config"), queueName("orders"), { slots: 4, burst: 8 }, "queues.orders");

const row = (key: string, value: unknown, more: Partial<SettingOverride> = {}): SettingOverride => ({
  scope: "queue",
  name: "orders",
  key,
  value: value === null ? null : JSON.stringify(value),
  by: "anna",
  at: 1,
  ...more,
});

describe("overrides", () => {
  it("win over code, each for itself", () => {
    expect(applyOverrides(base, [row("share", 40)])).toEqual({ ...base, share: 40 });
    expect(applyOverrides(base, [row("paused", true)])).toEqual({ ...base, paused: true });
    expect(applyOverrides(base, [row("burst", 5)])).toEqual({ ...base, burst: 5 });
  });

  it("of slots keep the burst slots on top, unless burst is overridden too", () => {
    expect(applyOverrides(base, [row("slots", 2)])).toMatchObject({ slots: 2, burst: 6 });
    expect(applyOverrides(base, [row("slots", 2), row("burst", 3)])).toMatchObject({ slots: 2, burst: 3 });
    expect(applyOverrides(base, [row("slots", 6), row("burst", 5)])).toMatchObject({ slots: 6, burst: 6 });
  });

  it("of steps reach the order of the lanes", () => {
    const { steps, lanes } = applyOverrides(base, [row("steps", { standard: 100 })]);
    expect(steps).toEqual({ standard: 100, express: 1_000 });
    expect(lanes.map(({ ranking }) => ranking)).toMatchObject([{ step: 1_000 }, { step: 100 }]);
  });

  it("of other queues, of types, reset or unreadable ones change nothing", () => {
    const ignored = [
      row("slots", 9, { name: "mail" }),
      row("paused", true, { scope: "type" }),
      row("share", null),
      row("slots", "many"),
      row("burst", -1),
      row("steps", { standard: 0 }),
      row("from_a_newer_release", 1),
      { ...row("paused", true), value: "{not json" },
    ];
    expect(applyOverrides(base, ignored)).toEqual(base);
  });

  it("of types name the paused ones", () => {
    const rows = [
      row("paused", true, { scope: "type", name: "a" }),
      row("paused", null, { scope: "type", name: "b" }),
      row("paused", true, { scope: "queue", name: "c" }),
      row("other", true, { scope: "type", name: "d" }),
    ];
    expect([...pausedTypes(rows)]).toEqual(["a"]);
  });
});
