import {
  EXPRESS_WEIGHTS,
  laneOf,
  NAMED_WEIGHTS,
  parseWeight,
  STANDARD_WEIGHTS,
  seededRandom,
  type Weight,
} from "@giveway/kernel";
import { describe, expect, test } from "vitest";
import { refusalOf } from "./models/refusal.ts";

describe("parseWeight (A3, B1)", () => {
  test.each<[string | number, number]>([
    ...Array.from({ length: 10 }, (_, n): [number, number] => [n + 1, n + 1]),
    ...Object.entries(NAMED_WEIGHTS),
  ])("reads %s as %i", (input, weight) => {
    expect(parseWeight(input)).toBe(weight);
  });

  test.each([
    0,
    11,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "5",
    "",
    "HIGH",
    "urgent",
    "toString",
    "__proto__",
    null,
    undefined,
    true,
    {},
    [5],
    5n,
  ])("refuses %s in one line that names the field", (input) => {
    const error = refusalOf(() => parseWeight(input, "tasks[0].weight"));
    expect(error).toMatchObject({ code: "invalid_weight", field: "tasks[0].weight" });
    expect(error.message).toMatch(
      /^tasks\[0\]\.weight: expected a whole number from 1 to 10 or low, normal, high, critical; got .+$/,
    );
  });
});

test("the lanes part the weights at 7 (B2)", () => {
  expect([1, 2, 3, 4, 5, 6].map((weight) => laneOf(weight as Weight))).toEqual(
    Array.from({ length: 6 }, () => "standard"),
  );
  expect([7, 8, 9, 10].map((weight) => laneOf(weight as Weight))).toEqual(Array.from({ length: 4 }, () => "express"));
  expect([...EXPRESS_WEIGHTS, ...STANDARD_WEIGHTS]).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test("seededRandom: the same seed gives the same numbers, evenly spread in [0, 1)", () => {
  const draw = (seed: number, n: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: n }, () => random());
  };
  expect(draw(42, 100)).toEqual(draw(42, 100));
  expect(draw(42, 100)).not.toEqual(draw(43, 100));
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const value of draw(7, 100_000)) {
    expect(value >= 0 && value < 1).toBe(true);
    const tenth = Math.floor(value * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});
