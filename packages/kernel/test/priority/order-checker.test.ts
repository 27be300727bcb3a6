import { DEFAULT_STEPS, OrderChecker, type Ranking, seededRandom, type Weight } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BrokenPool, type Flow, type SimulatedSettings, simulate } from "../models/overload.ts";

const AGED: Ranking = { kind: "aged", step: 5000, ceiling: 6 };
const head = (weight: Weight, seq: number, since: number) => ({ weight, seq, since });

describe("the order checker", () => {
  test("lets a task be overtaken by what became ready in time, and by nothing later", () => {
    const checker = new OrderChecker();
    const left = [head(2, 1, 1000)];
    expect(checker.check(AGED, { seq: 9, since: 20_999 }, left)).toBeNull();
    expect(checker.check(AGED, { seq: 9, since: 21_000 }, left)).toEqual({
      started: { seq: 9, since: 21_000 },
      overtaken: left[0],
      until: 21_000,
    });
    expect([checker.starts, checker.breaches]).toEqual([2, 1]);
    expect(checker.last?.until).toBe(21_000);
  });

  test("knows that who came first overtakes nobody, though both became ready in the same ms", () => {
    const checker = new OrderChecker();
    expect(checker.check(AGED, { seq: 3, since: 500 }, [head(6, 4, 500)])).toBeNull();
    expect(checker.check(AGED, { seq: 5, since: 500 }, [head(6, 4, 500)])).not.toBeNull();
  });

  test("counts a start once, however many it wrongs, whichever of the heads it is", () => {
    const checker = new OrderChecker();
    const left = [head(6, 9, 900_000), head(1, 1, 0), head(2, 2, 0)];
    expect(checker.check(AGED, { seq: 8, since: 800_000 }, left)?.overtaken).toBe(left[1]);
    expect(checker.breaches).toBe(1);
  });

  test("promises nothing for fixed weights, and order of arrival for fifo", () => {
    const checker = new OrderChecker();
    const left = [head(1, 1, 0)];
    expect(checker.check({ kind: "fixed" }, { seq: 2, since: 9_000_000 }, left)).toBeNull();
    expect(checker.check({ kind: "fifo" }, { seq: 2, since: 1 }, left)).not.toBeNull();
    expect(checker.check({ kind: "ladder", step: 5000 }, { seq: 2, since: 19_999 }, left)).toBeNull();
    expect(checker.check({ kind: "ladder", step: 5000 }, { seq: 2, since: 20_000 }, left)).not.toBeNull();
  });

  test("judges a claim by the earliest bound it left behind; the same ms is no proof", () => {
    const checker = new OrderChecker();
    expect(checker.checkClaim([{ since: 10 }, { since: 20 }, { since: 21 }, { since: 99 }], 20)).toBe(2);
    expect(checker.checkClaim([{ since: 10 }], null)).toBe(0);
    expect([checker.starts, checker.breaches]).toEqual([5, 2]);
  });
});

const SETTINGS: SimulatedSettings = {
  policy: "express",
  slots: 4,
  burst: 4,
  burstFor: "express",
  share: 70,
  steps: DEFAULT_STEPS,
};

/** Standard work of weight 6 above capacity, with light work waiting beside it, and express work above capacity too. */
const OVERLOAD: readonly Flow[] = [
  { weight: 1, stream: "light", from: 0, to: 90_000, every: 1500, run: 60 },
  { weight: 3, stream: "other", from: 500, to: 90_000, every: 900, run: 60 },
  { weight: 6, stream: "heavy", from: 0, to: 90_000, every: 26, run: 60 },
  { weight: 7, stream: "urgent", from: 0, to: 90_000, every: 60, run: 60 },
  { weight: 10, stream: "alarm", from: 0, to: 90_000, every: 33, run: 60 },
];

describe("under overload", () => {
  test("the bounds hold at every start, under every policy that states one", () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom("express", "ladder", "fifo", "rotation"), (seed, policy) => {
        const settings = { ...SETTINGS, policy: policy as SimulatedSettings["policy"] };
        const { order, share } = simulate(settings, OVERLOAD, 90_000, seededRandom(seed));
        expect(order.starts).toBeGreaterThan(3_000);
        expect(order.last).toBeNull();
        expect(share.last).toBeNull();
      }),
      { numRuns: 8, endOnFailure: true },
    );
  }, 120_000);

  test("the ladder keeps its order though every level is overloaded", () => {
    const settings = { ...SETTINGS, policy: "ladder" as const };
    const { order, waits } = simulate(settings, OVERLOAD, 90_000, seededRandom(3));
    expect(order.breaches).toBe(0);
    expect(waits.get(1)!.length).toBeGreaterThan(20);
  });

  test.each([
    ["last in, first out", (one, other) => one.seq > other.seq],
    ["weight alone", (one, other) => one.weight > other.weight || (one.weight === other.weight && one.seq < other.seq)],
    [
      "the lightest first",
      (one, other) => one.weight < other.weight || (one.weight === other.weight && one.seq < other.seq),
    ],
  ] as [string, ConstructorParameters<typeof BrokenPool>[1]][])("an order by %s is caught", (_, better) => {
    const pool = new BrokenPool(SETTINGS, better);
    const { order } = simulate(SETTINGS, OVERLOAD, 60_000, seededRandom(11), pool);
    expect(order.breaches).toBeGreaterThan(100);
  });

  test("an order whose tasks age a step too late is caught", () => {
    const effective = (place: { weight: number; since: number }, now: number): number =>
      Math.min(6, place.weight + Math.floor((now - place.since) / (2 * DEFAULT_STEPS.standard)));
    let now = 0;
    const pool = new BrokenPool(SETTINGS, (one, other) => {
      const difference = effective(one, now) - effective(other, now);
      return difference > 0 || (difference === 0 && one.seq < other.seq);
    });
    const timed = {
      push: pool.push.bind(pool),
      startable: pool.startable.bind(pool),
      heads: pool.heads.bind(pool),
      take: (lane: "express" | "standard", at: number) => {
        now = at;
        return pool.take(lane);
      },
    };
    const { order } = simulate(SETTINGS, OVERLOAD, 60_000, seededRandom(11), timed);
    expect(order.breaches).toBeGreaterThan(0);
  });

  test("fifty light tasks all run beside an unbroken stream of express work at 1.2 times capacity", () => {
    const service = 10;
    const flows: Flow[] = [
      { weight: 2, stream: "low", from: 0, to: 1, every: 10, run: service, burst: 50 },
      { weight: 9, stream: "express", from: 0, to: 20_000, every: service / (4 * 1.2), run: service },
    ];
    const { order, share, waits, left } = simulate(SETTINGS, flows, 20_000, seededRandom(5));
    expect(left.get(2)).toBe(0);
    expect(waits.get(2)).toHaveLength(50);
    expect(Math.max(...waits.get(2)!)).toBeLessThanOrEqual(3 * Math.ceil(50 / (4 - 2)) * service);
    expect([order.breaches, share.breaches]).toEqual([0, 0]);
    // Strictly by weight none of them would have run.
    const strict = { ...SETTINGS, policy: "strict" as const };
    const starved = simulate(strict, flows, 20_000, seededRandom(5));
    expect(starved.left.get(2)).toBeGreaterThan(40);
  });
});
