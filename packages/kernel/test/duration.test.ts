import { formatDuration, MAX_DURATION, parseDuration } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "./models/refusal.ts";

describe("parseDuration", () => {
  test.each([
    [0, 0],
    [-0, 0],
    [1500, 1500],
    ["0s", 0],
    ["250ms", 250],
    ["5s", 5_000],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["7d", 604_800_000],
    ["1w", 604_800_000],
    ["1h30m", 5_400_000],
    ["1w2d3h4m5s6ms", 788_645_006],
    ["90m", 5_400_000],
    // A timer of Node's own overflows at 2^31 ms and fires at once (V-13).
    ["400d", 34_560_000_000],
    ["36525d", MAX_DURATION],
    [MAX_DURATION, MAX_DURATION],
  ])("reads %j as %d ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    "",
    " ",
    "5",
    "5 s",
    " 5s",
    "5s ",
    "s",
    "ms",
    "-5s",
    "+5s",
    "1.5h",
    "1,5h",
    "5S",
    "5sec",
    "30m1h",
    "1h1h",
    "1h 30m",
    "1e3s",
    "∞",
    "5s\n",
    "٥s",
    "0x10s",
    "null",
    "5s5",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    1.5,
    null,
    undefined,
    true,
    {},
    [],
    [5],
    new Date(0),
    5n,
    Symbol("5s"),
    () => 5,
  ])("refuses %s in one line that names the field", (value) => {
    const error = refusalOf(() => parseDuration(value, "tasks[0].delay"));
    expect(error).toMatchObject({ code: "invalid_duration", field: "tasks[0].delay", retryable: false });
    expect(error.message).toMatch(/^tasks\[0\]\.delay: expected whole ms or text such as .*; got .+$/);
  });

  test.each([MAX_DURATION + 1, "36526d", "101w1000000d", `${"9".repeat(90)}d`, Number.MAX_SAFE_INTEGER, 1e300])(
    "refuses %j as longer than 100 years",
    (value) => {
      const error = refusalOf(() => parseDuration(value, "delay"));
      expect(error.code).toBe("invalid_duration");
      expect(error.message).toMatch(/^delay: .* is longer than 100 years$/);
    },
  );

  test("keeps its line short, however long the input", () => {
    expect(refusalOf(() => parseDuration("x".repeat(1_000_000))).message.length).toBeLessThan(200);
    expect(refusalOf(() => parseDuration("1".repeat(1_000_000))).message.length).toBeLessThan(200);
  });
});

describe("formatDuration", () => {
  test.each([
    [0, "0ms"],
    [-5, "0ms"],
    [250, "250ms"],
    [5_000, "5s"],
    [5_400_000, "1h30m"],
    [604_800_000, "7d"],
    [90_061_001, "1d1h1m1s1ms"],
  ])("writes %d as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test("is what parseDuration reads", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_DURATION }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
