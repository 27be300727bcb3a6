import {
  DEFAULT_RETRY,
  MAX_DURATION,
  MAX_RETRIES,
  maxRetries,
  parseRetry,
  type RetryInput,
  type RetrySpec,
  retryDelay,
  seededRandom,
} from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../models/refusal.ts";

describe("parseRetry", () => {
  test.each<[string, RetryInput | undefined, RetrySpec]>([
    ["nothing", undefined, { kind: "list", delays: [1_000, 5_000, 25_000] }],
    ["only functions", { retryable: () => true, next: () => 5 }, DEFAULT_RETRY],
    ["a list", { delays: ["2s", 500, "1m"] }, { kind: "list", delays: [2_000, 500, 60_000] }],
    ["an empty list: never", { delays: [] }, { kind: "list", delays: [] }],
    [
      "growth by its base alone",
      { exponential: { base: "500ms" } },
      { kind: "exponential", base: 500, factor: 2, cap: 3_600_000, max: 3 },
    ],
    [
      "growth in full",
      { exponential: { base: 100, factor: 1.5, cap: "1m", max: 8 } },
      { kind: "exponential", base: 100, factor: 1.5, cap: 60_000, max: 8 },
    ],
    [
      "a base above the default cap",
      { exponential: { base: "2d" } },
      { kind: "exponential", base: 172_800_000, factor: 2, cap: 172_800_000, max: 3 },
    ],
    [
      "no retries",
      { exponential: { base: 1, max: 0 } },
      { kind: "exponential", base: 1, factor: 2, cap: 3_600_000, max: 0 },
    ],
    [
      "a cap of 60 days (V-13)",
      { exponential: { base: "1d", cap: "60d" } },
      { kind: "exponential", base: 86_400_000, factor: 2, cap: 5_184_000_000, max: 3 },
    ],
  ])("reads %s", (_name, input, spec) => {
    expect(parseRetry(input)).toEqual(spec);
  });

  test.each<[unknown, string, string, RegExp]>([
    [{ delays: [1], exponential: { base: 1 } }, "invalid_option", "retry", /not both/],
    [{ delays: "1s" }, "invalid_option", "retry.delays", /expected a list of durations; got string/],
    [{ delays: ["1s", "soon"] }, "invalid_duration", "retry.delays[1]", /expected whole ms/],
    [
      { delays: Array.from({ length: MAX_RETRIES + 1 }, () => 1) },
      "invalid_option",
      "retry.delays",
      /1001 delays, more than 1000/,
    ],
    [{ exponential: {} }, "invalid_option", "retry.exponential.base", /is missing/],
    [{ exponential: 5 }, "invalid_option", "retry.exponential", /expected an object; got 5/],
    [{ exponential: { base: "x" } }, "invalid_duration", "retry.exponential.base", /expected/],
    [
      { exponential: { base: "2m", cap: "1m" } },
      "invalid_option",
      "retry.exponential.cap",
      /1m lies below the base of 2m/,
    ],
    [{ exponential: { base: 1, factor: 0.5 } }, "invalid_option", "retry.exponential.factor", /from 1 to 100; got 0.5/],
    [{ exponential: { base: 1, factor: 101 } }, "invalid_option", "retry.exponential.factor", /from 1 to 100/],
    [{ exponential: { base: 1, factor: Number.NaN } }, "invalid_option", "retry.exponential.factor", /got NaN/],
    [{ exponential: { base: 1, factor: "2" } }, "invalid_option", "retry.exponential.factor", /got string/],
    [{ exponential: { base: 1, max: 1.5 } }, "invalid_option", "retry.exponential.max", /whole number from 0 to 1000/],
    [{ exponential: { base: 1, max: -1 } }, "invalid_option", "retry.exponential.max", /whole number/],
    [{ exponential: { base: 1, max: MAX_RETRIES + 1 } }, "invalid_option", "retry.exponential.max", /whole number/],
    [
      { exponential: { base: 1, jitter: 1 } },
      "invalid_option",
      "retry.exponential.jitter",
      /not a known option; known are base, factor, cap, max/,
    ],
    [{ dealys: [1] }, "invalid_option", "retry.dealys", /not a known option/],
    [null, "invalid_option", "retry", /expected an object; got null/],
    [3, "invalid_option", "retry", /expected an object; got 3/],
    [[1], "invalid_option", "retry", /expected an object; got a list/],
  ])("refuses %j", (input, code, field, fault) => {
    const error = refusalOf(() => parseRetry(input as RetryInput));
    expect(error).toMatchObject({ code, field });
    expect(error.message.startsWith(`${field}: `)).toBe(true);
    expect(error.message).toMatch(fault);
  });
});

describe("retryDelay", () => {
  const low = () => 0;
  const high = () => 1 - 2 ** -53;

  test("by default waits 1 s, 5 s and 25 s, each stretched by up to a tenth, then never", () => {
    expect([0, 1, 2, 3, 4].map((used) => retryDelay(DEFAULT_RETRY, used, low))).toEqual([
      1_000,
      5_000,
      25_000,
      null,
      null,
    ]);
    expect([0, 1, 2, 3].map((used) => retryDelay(DEFAULT_RETRY, used, high))).toEqual([1_100, 5_500, 27_500, null]);
    expect(maxRetries(DEFAULT_RETRY)).toBe(3);
  });

  test("grows by 500 ms × 2^n up to its cap", () => {
    const spec = parseRetry({ exponential: { base: "500ms", cap: "3s", max: 5 } });
    expect([0, 1, 2, 3, 4, 5].map((used) => retryDelay(spec, used, low))).toEqual([
      500,
      1_000,
      2_000,
      3_000,
      3_000,
      null,
    ]);
  });

  test("meets its cap where the power leaves the numbers, and 0 stays 0", () => {
    const spec = parseRetry({ exponential: { base: 1, factor: 100, cap: "36525d", max: 1_000 } });
    expect(retryDelay(spec, 999, high)).toBe(MAX_DURATION);
    expect(retryDelay(parseRetry({ exponential: { base: 0, factor: 100, max: 1_000 } }), 999, high)).toBe(0);
  });

  test("is never early, never more than a tenth late, whole, and there for exactly so many retries", () => {
    const duration = fc.integer({ min: 0, max: 10_000_000_000 });
    const spec = fc.oneof(
      fc.array(duration, { maxLength: 8 }).map((delays): RetrySpec => ({ kind: "list", delays })),
      fc
        .record({
          base: duration,
          factor: fc.double({ min: 1, max: 100, noNaN: true }),
          more: duration,
          max: fc.integer({ min: 0, max: 12 }),
        })
        .map(
          ({ base, factor, more, max }): RetrySpec => ({ kind: "exponential", base, factor, cap: base + more, max }),
        ),
    );
    fc.assert(
      fc.property(spec, fc.integer({ min: 0, max: 14 }), fc.integer(), (one, used, seed) => {
        const delay = retryDelay(one, used, seededRandom(seed));
        expect(delay === null).toBe(used >= maxRetries(one));
        if (delay === null) return;
        const exact = exactDelay(one, used);
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(exact);
        expect(delay).toBeLessThanOrEqual(exact * 1.1 + 1);
      }),
    );
  });
});

/** The schedule in its plainest form: multiplied step by step. */
function exactDelay(spec: RetrySpec, used: number): number {
  if (spec.kind === "list") return spec.delays[used] ?? Number.NaN;
  let delay = spec.base;
  for (let n = 0; n < used; n += 1) delay = Math.min(delay * spec.factor, 1e15);
  // Rounding of a product differs from that of a power in the last digits.
  return Math.min(spec.cap, delay) * (1 - 1e-12);
}
