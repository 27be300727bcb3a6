import { runInNewContext } from "node:vm";
import { MAX_INSTANT, parseInstant, toIso } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "./models/refusal.ts";

describe("parseInstant", () => {
  test.each([
    ["2026-03-01T09:00:00Z", Date.UTC(2026, 2, 1, 9)],
    ["2026-03-01T09:00Z", Date.UTC(2026, 2, 1, 9)],
    ["2026-03-01T09:00:00.5Z", Date.UTC(2026, 2, 1, 9, 0, 0, 500)],
    ["2026-03-01T09:00:00.123999999Z", Date.UTC(2026, 2, 1, 9, 0, 0, 123)],
    ["2026-03-01T09:00:00+02:00", Date.UTC(2026, 2, 1, 7)],
    ["2026-03-01T09:00:00-05:30", Date.UTC(2026, 2, 1, 14, 30)],
    ["2026-03-01T00:30:00+14:00", Date.UTC(2026, 1, 28, 10, 30)],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["2000-02-29T00:00:00Z", Date.UTC(2000, 1, 29)],
    ["1970-01-01T00:00:00Z", 0],
    ["9999-12-31T23:59:59.999Z", MAX_INSTANT],
    [0, 0],
    [-0, 0],
    [1_772_355_600_000, 1_772_355_600_000],
    [2 ** 40, 2 ** 40],
    [new Date(1_772_355_600_000), 1_772_355_600_000],
  ])("reads %s", (value, ms) => {
    expect(parseInstant(value)).toBe(ms);
  });

  test("reads a Date of another realm", () => {
    expect(parseInstant(runInNewContext("new Date(86400000)"))).toBe(86_400_000);
  });

  test.each([
    // Without zone it would be another instant on another machine (V-16).
    "2026-03-01T09:00:00",
    "2026-03-01",
    "2026-03-01 09:00:00Z",
    "2026-3-1T09:00:00Z",
    "01/03/2026",
    "March 1, 2026",
    "tomorrow",
    "",
    "2026-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T09:60:00Z",
    "2026-03-01T09:00:60Z",
    "2026-03-01T09:00:00+0200",
    "2026-03-01T09:00:00+15:00",
    "2026-03-01T09:00:00+02:60",
    "2026-03-01T09:00:00z",
    "2026-03-01T09:00:00.Z",
    "2026-03-01T09:00:00,5Z",
    "2026-03-01T09:00:00.1234567890Z",
    "+12026-03-01T09:00:00Z",
    " 2026-03-01T09:00:00Z",
    "2026-03-01T09:00:00Z\n",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1.5,
    null,
    undefined,
    true,
    {},
    [],
    5n,
    new Date(Number.NaN),
    { getTime: () => 5 },
    Symbol("now"),
  ])("refuses %s in one line that names the field", (value) => {
    const error = refusalOf(() => parseInstant(value, "runAt"));
    expect(error).toMatchObject({ code: "invalid_date", field: "runAt", retryable: false });
    expect(error.message).toMatch(/^runAt: expected a Date, an ISO 8601 string with zone .*; got .+$/);
  });

  test.each([
    -1,
    MAX_INSTANT + 1,
    1e300,
    "1969-12-31T23:59:59.999Z",
    "0000-01-01T00:00:00Z",
    "0099-01-01T00:00:00Z",
    "9999-12-31T23:59:59-00:01",
    new Date(-1),
    new Date(8.64e15),
  ])("refuses %s as outside the years", (value) => {
    const error = refusalOf(() => parseInstant(value, "runAt"));
    expect(error.code).toBe("invalid_date");
    expect(error.message).toMatch(/^runAt: .* lies outside the years 1970 to 9999$/);
  });

  test("reads what toIso writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_INSTANT }), (ms) => {
        expect(parseInstant(toIso(ms))).toBe(ms);
      }),
    );
  });

  test("reads an instant written in any zone as the same instant", () => {
    const minutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(fc.integer({ min: 86_400_000, max: MAX_INSTANT - 86_400_000 }), minutes, (ms, offset) => {
        const local = toIso(ms + offset * 60_000).slice(0, -1);
        const [hours, rest] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const zone = `${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
        expect(parseInstant(local + zone)).toBe(ms);
      }),
    );
  });

  test("keeps its line short, however long the input", () => {
    expect(refusalOf(() => parseInstant("9".repeat(1_000_000))).message.length).toBeLessThan(300);
  });
});
