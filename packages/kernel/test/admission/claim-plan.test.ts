import {
  admit,
  afterStart,
  type Lane,
  MAX_PREFETCH,
  occupy,
  POLICIES,
  planClaim,
  prefetchFor,
  ShareChecker,
  type SlotSettings,
  type SlotUsage,
  START_OF_ROTATION,
  type Waiting,
  type Windowed,
} from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const NONE: SlotUsage = { express: 0, standard: 0, burst: 0 };
const NO_WINDOW: Windowed = { express: 0, standard: 0 };
const BOTH: Waiting = { express: true, standard: true };

function settings(change: Partial<SlotSettings> = {}): SlotSettings {
  return { policy: "express", slots: 4, burst: 8, burstFor: "express", share: 70, ...change };
}

describe("planClaim", () => {
  test("asks each lane for what it may start at once", () => {
    expect(planClaim(settings(), NONE, BOTH, START_OF_ROTATION, 0, NO_WINDOW)).toEqual({
      express: { limit: 6, direct: 6 },
      standard: { limit: 2, direct: 2 },
    });
  });

  test("asks a lone lane for all it may have", () => {
    const express = planClaim(settings(), NONE, { express: true, standard: false }, START_OF_ROTATION, 0, NO_WINDOW);
    expect(express).toEqual({ express: { limit: 8, direct: 8 }, standard: { limit: 0, direct: 0 } });
    const standard = planClaim(settings(), NONE, { express: false, standard: true }, START_OF_ROTATION, 0, NO_WINDOW);
    expect(standard).toEqual({ express: { limit: 0, direct: 0 }, standard: { limit: 4, direct: 4 } });
  });

  test("lets what lies in the window start first", () => {
    const plan = planClaim(settings({ burst: 4 }), NONE, BOTH, START_OF_ROTATION, 0, { express: 1, standard: 5 });
    expect(plan).toEqual({ express: { limit: 1, direct: 1 }, standard: { limit: 0, direct: 0 } });
  });

  test("windowed standard work keeps express within its cap though the ledger has none", () => {
    const ledger = { express: true, standard: false };
    const plan = planClaim(settings({ burst: 4 }), NONE, ledger, START_OF_ROTATION, 0, { express: 0, standard: 9 });
    expect(plan).toEqual({ express: { limit: 2, direct: 2 }, standard: { limit: 0, direct: 0 } });
  });

  test("asks for nothing without a slot, without work, or with a full window", () => {
    const full: SlotUsage = { express: 2, standard: 2, burst: 4 };
    expect(planClaim(settings(), full, BOTH, START_OF_ROTATION, 0, NO_WINDOW)).toBeNull();
    const idle = { express: false, standard: false };
    expect(planClaim(settings(), NONE, idle, START_OF_ROTATION, 99, { express: 3, standard: 3 })).toBeNull();
    expect(planClaim(settings(), full, BOTH, START_OF_ROTATION, 40, { express: 30, standard: 10 })).toBeNull();
  });

  test("prefetches on top of the direct ones, divided as the slots are, less what the window keeps", () => {
    const full: SlotUsage = { express: 2, standard: 2, burst: 4 };
    expect(planClaim(settings(), full, BOTH, START_OF_ROTATION, 40, NO_WINDOW)).toEqual({
      express: { limit: 30, direct: 0 },
      standard: { limit: 10, direct: 0 },
    });
    expect(planClaim(settings(), full, BOTH, START_OF_ROTATION, 40, { express: 12, standard: 10 })).toEqual({
      express: { limit: 18, direct: 0 },
      standard: { limit: 0, direct: 0 },
    });
    const rotation = planClaim(settings({ policy: "rotation" }), full, BOTH, START_OF_ROTATION, 110, NO_WINDOW);
    expect([rotation?.express.limit, rotation?.standard.limit]).toEqual([100, 10]);
    const fifo = planClaim(settings({ policy: "fifo" }), full, { ...BOTH, express: false }, START_OF_ROTATION, 9, {
      express: 0,
      standard: 2,
    });
    expect(fifo?.standard).toEqual({ limit: 7, direct: 0 });
  });

  test("starting exactly the direct ones and the window breaks no rule and leaves no slot that the flags allow", () => {
    const lanes: readonly Lane[] = ["express", "standard"];
    const config = fc.record({
      policy: fc.constantFrom(...POLICIES),
      slots: fc.integer({ min: 1, max: 12 }),
      extra: fc.nat(12),
      burstFor: fc.constantFrom("express" as const, "all" as const),
      share: fc.nat(100),
    });
    const small = fc.record({ express: fc.nat(6), standard: fc.nat(6) });
    const flags = fc.record({ express: fc.boolean(), standard: fc.boolean() });
    fc.assert(
      fc.property(
        config,
        small,
        flags,
        small,
        fc.nat(109),
        fc.nat(50),
        (drawn, held, ledger, window, credit, prefetch) => {
          const set: SlotSettings = { ...drawn, burst: drawn.slots + drawn.extra };
          const usage = { ...held, burst: 0 };
          const plan = planClaim(set, usage, ledger, { credit }, prefetch, window);
          const work = {
            express: window.express + (plan?.express.direct ?? 0),
            standard: window.standard + (plan?.standard.direct ?? 0),
          };
          const directs = { express: plan?.express.direct ?? 0, standard: plan?.standard.direct ?? 0 };
          const started = play(set, usage, ledger, { credit }, work);
          for (const lane of lanes) {
            expect(started.lanes[lane]).toBeGreaterThanOrEqual(directs[lane]);
            expect(plan?.[lane].limit ?? 0).toBeGreaterThanOrEqual(directs[lane]);
            expect((plan?.[lane].limit ?? 0) - directs[lane]).toBeLessThanOrEqual(prefetch);
            if (!ledger[lane]) expect(plan?.[lane].limit ?? 0).toBe(0);
          }
          // With the claimed work at hand nothing more could start, were there any amount of it in the flagged lanes.
          const waiting = {
            express: ledger.express || work.express > started.lanes.express,
            standard: ledger.standard || work.standard > started.lanes.standard,
          };
          expect(admit(set, started.usage, waiting, started.rotation)).toBeNull();
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

/** Starts the given work by the rules while the ledger's flags stand, checking the share at each start. */
function play(set: SlotSettings, from: SlotUsage, ledger: Waiting, rotation: { credit: number }, work: Windowed) {
  const checker = new ShareChecker();
  const lanes = { express: 0, standard: 0 };
  let usage = from;
  let turns = rotation;
  for (;;) {
    const waiting = {
      express: ledger.express || work.express > lanes.express,
      standard: ledger.standard || work.standard > lanes.standard,
    };
    const next = admit(set, usage, waiting, turns);
    if (next === null || lanes[next.lane] >= work[next.lane]) return { lanes, usage, rotation: turns };
    lanes[next.lane] += 1;
    usage = occupy(usage, next);
    turns = afterStart(turns, next, waiting, set);
    expect(checker.check(set, usage, waiting, next)).toBeNull();
  }
}

describe("prefetchFor", () => {
  test.each([
    [0, 0],
    [39, 0],
    [40, 4],
    [1_000, 100],
    [52_345, 5_234],
    [10_000_000, MAX_PREFETCH],
  ])("at %d starts a second holds %d tasks", (pace, room) => {
    expect(prefetchFor(pace)).toBe(room);
  });
});
