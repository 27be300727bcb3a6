import {
  DEFAULT_STEPS,
  EXPRESS_WEIGHTS,
  effectiveWeight,
  type LaneOrder,
  laneOrders,
  laneUnder,
  overtakenUntil,
  POLICIES,
  type Ranking,
  STANDARD_WEIGHTS,
  starvationBounds,
  type Weight,
} from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { naiveEffective, naiveLane } from "../models/naive-order.ts";

const order = (policy: (typeof POLICIES)[number], weight: Weight): LaneOrder =>
  laneOrders(policy, DEFAULT_STEPS).find((lane) => lane.weights.includes(weight))!;
const after = (policy: (typeof POLICIES)[number], weight: Weight, seconds: number): number =>
  effectiveWeight(order(policy, weight).ranking, weight, 0, seconds * 1000);

const anyWeight = fc.integer({ min: 1, max: 10 }) as fc.Arbitrary<Weight>;
const anySteps = fc.record({ standard: fc.integer({ min: 1, max: 9000 }), express: fc.integer({ min: 1, max: 9000 }) });

describe("effective weight", () => {
  test.each<[Weight, number, number]>([
    [1, 0, 1],
    [1, 4.999, 1],
    [1, 5, 2],
    [1, 24.999, 5],
    [1, 25, 6],
    [1, 100_000, 6],
    [5, 4.999, 5],
    [5, 5, 6],
    [5, 600, 6],
    [6, 600, 6],
    [7, 0.999, 7],
    [7, 1, 8],
    [7, 2.999, 9],
    [7, 3, 10],
    [7, 600, 10],
    [10, 600, 10],
  ])("under express, %i waiting %d s counts %i", (weight, seconds, expected) => {
    expect(after("express", weight, seconds)).toBe(expected);
  });

  test.each<[Weight, number, number]>([
    [2, 4.999, 2],
    [2, 5, 5],
    [2, 10, 8],
    [2, 14.999, 8],
    [2, 15, 10],
    [2, 600, 10],
    [5, 5, 8],
    [5, 10, 10],
    [8, 5, 10],
    [10, 5, 10],
    [1, 5, 2],
    [3, 5, 5],
    [6, 5, 8],
    [9, 5, 10],
    [1, 20, 10],
  ])("on the ladder, %i waiting %d s counts %i", (weight, seconds, expected) => {
    expect(after("ladder", weight, seconds)).toBe(expected);
  });

  test("is the plain weight under rotation, isolated and strict, and nothing under fifo", () => {
    for (const policy of ["rotation", "isolated", "strict"] as const) expect(after(policy, 3, 3600)).toBe(3);
    expect(after("fifo", 10, 0)).toBe(after("fifo", 1, 3600));
  });

  test("a clock set back counts as no wait", () => {
    for (const policy of POLICIES) {
      const { ranking } = order(policy, 4);
      expect(effectiveWeight(ranking, 4, 50_000, 1_000)).toBe(effectiveWeight(ranking, 4, 50_000, 50_000));
    }
  });

  test("agrees with the rule in plain words, and never falls while a task waits", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...POLICIES),
        anySteps,
        anyWeight,
        fc.integer({ min: -50_000, max: 120_000 }),
        fc.nat(20_000),
        (policy, steps, weight, waited, more) => {
          const { ranking } = laneOrders(policy, steps).find((lane) => lane.weights.includes(weight))!;
          const effective = effectiveWeight(ranking, weight, 100_000, 100_000 + waited);
          expect(effective).toBe(naiveEffective({ policy, steps }, weight, 100_000, 100_000 + waited));
          expect(effectiveWeight(ranking, weight, 100_000, 100_000 + waited + more)).toBeGreaterThanOrEqual(effective);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe("the lanes of a policy", () => {
  test.each(POLICIES)("of %s hold every weight once, where laneUnder says", (policy) => {
    const lanes = laneOrders(policy, DEFAULT_STEPS);
    const all = lanes.flatMap((lane) => lane.weights.map((weight) => [weight, lane.lane] as const));
    expect(all.map(([weight]) => weight).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const [weight, lane] of all) {
      expect(laneUnder(policy, weight)).toBe(lane);
      expect(lane).toBe(naiveLane(policy, weight));
    }
  });

  test("express is asked first, with its own step", () => {
    const [express, standard] = laneOrders("express", { standard: 700, express: 90 });
    expect(express).toEqual({
      lane: "express",
      weights: EXPRESS_WEIGHTS,
      ranking: { kind: "aged", step: 90, ceiling: 10 },
    });
    expect(standard).toEqual({
      lane: "standard",
      weights: STANDARD_WEIGHTS,
      ranking: { kind: "aged", step: 700, ceiling: 6 },
    });
  });
});

describe("the order bound", () => {
  test("ends exactly when the task reaches what nothing in its lane exceeds", () => {
    fc.assert(
      fc.property(fc.constantFrom("express", "ladder"), anySteps, anyWeight, (policy, steps, weight) => {
        const { ranking, lane } = laneOrders(policy as "express", steps).find((one) => one.weights.includes(weight))!;
        const top = policy === "ladder" || lane === "express" ? 10 : 6;
        const until = overtakenUntil(ranking, weight, 0);
        expect(effectiveWeight(ranking, weight, 0, until)).toBe(top);
        if (until > 0) expect(effectiveWeight(ranking, weight, 0, until - 1)).toBeLessThan(top);
      }),
      { numRuns: 500 },
    );
  });

  test("is infinite for rankings that promise nothing, and the task's own moment for fifo", () => {
    expect(overtakenUntil({ kind: "fixed" }, 3, 500)).toBe(Number.POSITIVE_INFINITY);
    expect(overtakenUntil({ kind: "fifo" }, 3, 500)).toBe(500);
  });

  test("counts from when the task became ready", () => {
    const aged: Ranking = { kind: "aged", step: 5000, ceiling: 6 };
    expect(overtakenUntil(aged, 2, 1_000_000)).toBe(1_020_000);
    expect(overtakenUntil({ kind: "ladder", step: 5000 }, 2, 1_000_000)).toBe(1_015_000);
  });
});

describe("the stated bounds of a queue", () => {
  const queue = (policy: (typeof POLICIES)[number], slots = 4) => ({ policy, slots, share: 70, steps: DEFAULT_STEPS });

  test.each<[Weight, number]>([
    [1, 25_000],
    [2, 20_000],
    [5, 5_000],
    [6, 0],
    [7, 3_000],
    [10, 0],
  ])("under express, weight %i is overtaken for %d ms at most", (weight, ms) => {
    expect(starvationBounds(queue("express"), weight).order).toBe(ms);
  });

  test("of the other policies", () => {
    expect(starvationBounds(queue("ladder"), 2).order).toBe(15_000);
    expect(starvationBounds(queue("fifo"), 2).order).toBe(0);
    for (const policy of ["strict", "rotation", "isolated"] as const) {
      expect(starvationBounds(queue(policy), 2).order).toBe(Number.POSITIVE_INFINITY);
    }
  });

  test("name the slots or the turns that standard work gets", () => {
    const share = (policy: (typeof POLICIES)[number], slots: number) => {
      const { standardSlots, standardTurns } = starvationBounds(queue(policy, slots), 5);
      return [standardSlots, standardTurns];
    };
    expect(share("express", 4)).toEqual([2, null]);
    expect(share("express", 10)).toEqual([3, null]);
    expect(share("express", 1)).toEqual([0, { starts: 3, of: 10 }]);
    expect(share("isolated", 4)).toEqual([2, null]);
    expect(share("rotation", 4)).toEqual([0, { starts: 1, of: 11 }]);
    expect(share("ladder", 4)).toEqual([4, null]);
  });
});
