import { boundOf, defaultBound, estimateStart, roomOf } from "@giveway/kernel";
import { describe, expect, test } from "vitest";

describe("a type's bound", () => {
  test("leaves one slot to others where the queue serves several types", () => {
    expect(defaultBound(4, 2)).toBe(3);
    expect(defaultBound(4, 50)).toBe(3);
    expect(defaultBound(1, 2)).toBe(1);
  });

  test("is none where the queue serves one type", () => {
    expect(defaultBound(4, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(roomOf(defaultBound(4, 1), 1_000)).toBe(Number.POSITIVE_INFINITY);
  });

  test("as stated wins over the default, also when it is above the slots", () => {
    expect(boundOf(null, 4, 2)).toBe(3);
    expect(boundOf(1, 4, 2)).toBe(1);
    expect(boundOf(9, 4, 1)).toBe(9);
  });

  test("gives room for what it doesn't hold, and none below zero", () => {
    expect(roomOf(3, 1)).toBe(2);
    expect(roomOf(3, 3)).toBe(0);
    expect(roomOf(3, 5)).toBe(0);
  });
});

describe("the estimate of a start", () => {
  test.each([
    [{ ahead: 0, slotsForLane: 1, meanRun: 100 }, 100],
    [{ ahead: 0, slotsForLane: 4, meanRun: 100 }, 25],
    [{ ahead: 9, slotsForLane: 2, meanRun: 30 }, 150],
    [{ ahead: 2, slotsForLane: 7, meanRun: 1 }, 1],
    [{ ahead: 5, slotsForLane: 3, meanRun: 0 }, 0],
  ])("of %o is %d ms", (facts, ms) => {
    expect(estimateStart(facts)).toBe(ms);
  });

  test("isn't made up where nothing is known", () => {
    expect(estimateStart({ ahead: 1, slotsForLane: 0, meanRun: 10 })).toBeNull();
    expect(estimateStart({ ahead: 1, slotsForLane: 2, meanRun: Number.NaN })).toBeNull();
  });
});
