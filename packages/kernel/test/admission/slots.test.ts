import {
  type Admission,
  admit,
  afterStart,
  capOf,
  type Lane,
  occupy,
  POLICIES,
  type Policy,
  type Random,
  ShareChecker,
  type SlotSettings,
  type SlotUsage,
  START_OF_ROTATION,
  seededRandom,
  shareBreached,
  vacate,
  type Waiting,
} from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allowedStarts } from "../models/naive-slots.ts";

const NONE: SlotUsage = { express: 0, standard: 0, burst: 0 };
const BOTH: Waiting = { express: true, standard: true };
const EXPRESS: Waiting = { express: true, standard: false };
const STANDARD: Waiting = { express: false, standard: true };

function settings(change: Partial<SlotSettings> = {}): SlotSettings {
  return { policy: "express", slots: 4, burst: 8, burstFor: "express", share: 70, ...change };
}

/** Lets every start happen that may, with endless work in the lanes that wait. */
function fill(
  config: SlotSettings,
  waiting: Waiting,
  from: SlotUsage = NONE,
): { usage: SlotUsage; starts: Admission[] } {
  let usage = from;
  let rotation = START_OF_ROTATION;
  const starts: Admission[] = [];
  for (let next = admit(config, usage, waiting, rotation); next !== null; ) {
    starts.push(next);
    usage = occupy(usage, next);
    rotation = afterStart(rotation, next, waiting, config);
    next = admit(config, usage, waiting, rotation);
  }
  return { usage, starts };
}

describe("the cap", () => {
  test.each([
    [4, 70, 2],
    [3, 70, 2],
    [2, 70, 1],
    [1, 70, 1],
    [10, 70, 7],
    [10, 100, 9],
    [10, 0, 1],
    [100, 29, 29],
    [1000, 70, 700],
  ])("of %i slots at %i %% is %i", (slots, share, cap) => {
    expect(capOf({ slots, share })).toBe(cap);
  });
});

describe("admission under `express`", () => {
  test("with both lanes full of work express holds its cap and the burst slots, standard the rest", () => {
    expect(fill(settings(), BOTH).usage).toEqual({ express: 2, standard: 2, burst: 4 });
    expect(fill(settings({ burst: 4 }), BOTH).usage).toEqual({ express: 2, standard: 2, burst: 0 });
  });

  test("express takes a base slot within its cap first, then burst slots, then base slots beyond the cap", () => {
    const { starts, usage } = fill(settings(), EXPRESS);
    expect(starts.map(({ slot }) => slot)).toEqual([
      "base",
      "base",
      "burst",
      "burst",
      "burst",
      "burst",
      "base",
      "base",
    ]);
    expect(usage).toEqual({ express: 4, standard: 0, burst: 4 });
  });

  test("standard alone takes every base slot, and burst slots only by choice", () => {
    expect(fill(settings(), STANDARD).usage).toEqual({ express: 0, standard: 4, burst: 0 });
    expect(fill(settings({ burstFor: "all" }), STANDARD).usage).toEqual({ express: 0, standard: 4, burst: 4 });
  });

  test("beyond its cap express gets no freed slot while standard waits, and gets it when nobody waits", () => {
    const held = { express: 3, standard: 0, burst: 0 };
    const config = settings({ burst: 4 });
    expect(admit(config, held, BOTH, START_OF_ROTATION)).toEqual({ lane: "standard", slot: "base" });
    expect(admit(config, held, EXPRESS, START_OF_ROTATION)).toEqual({ lane: "express", slot: "base" });
  });

  test("nothing starts beyond slots that a live change took away", () => {
    const held = { express: 3, standard: 3, burst: 2 };
    expect(admit(settings({ slots: 2, burst: 4 }), held, BOTH, START_OF_ROTATION)).toBeNull();
  });
});

describe("admission under the other policies", () => {
  test("isolated lends nothing: each lane has its own base slots", () => {
    const config = settings({ policy: "isolated", burst: 4 });
    expect(fill(config, EXPRESS).usage).toEqual({ express: 2, standard: 0, burst: 0 });
    expect(fill(config, STANDARD).usage).toEqual({ express: 0, standard: 2, burst: 0 });
  });

  test.each(["ladder", "strict", "fifo"] as const)("%s has one lane on all base slots", (policy) => {
    expect(fill(settings({ policy }), BOTH).usage).toEqual({ express: 0, standard: 4, burst: 0 });
    expect(fill(settings({ policy, burstFor: "all" }), BOTH).usage).toEqual({ express: 0, standard: 4, burst: 4 });
    expect(admit(settings({ policy }), NONE, EXPRESS, START_OF_ROTATION)).toBeNull();
  });

  test("rotation starts ten express tasks, then a standard one, on burst slots too", () => {
    const lanes = fill(settings({ policy: "rotation", slots: 11, burst: 33 }), BOTH).starts.map(({ lane }) => lane);
    const round: Lane[] = [...new Array<Lane>(10).fill("express"), "standard"];
    expect(lanes).toEqual([...round, ...round, ...round]);
  });
});

describe("turns", () => {
  /** Starts one after the other on whatever slot is free, each ending before the next begins. */
  function oneByOne(config: SlotSettings, waits: readonly Waiting[]): Lane[] {
    let rotation = START_OF_ROTATION;
    return waits.map((waiting) => {
      const next = admit(config, NONE, waiting, rotation)!;
      rotation = afterStart(rotation, next, waiting, config);
      return next.lane;
    });
  }
  const windows = (lanes: readonly Lane[], size: number): number[] =>
    lanes.slice(size - 1).map((_, from) => lanes.slice(from, from + size).filter((lane) => lane === "standard").length);

  test.each(["express", "isolated"] as const)("%s with one slot: three of any ten starts are standard", (policy) => {
    const lanes = oneByOne(settings({ policy, slots: 1, burst: 1 }), new Array<Waiting>(500).fill(BOTH));
    expect(new Set(windows(lanes, 10))).toEqual(new Set([3]));
    expect(lanes.join(" ")).not.toContain("standard standard");
  });

  test("rotation: one of any eleven starts is standard", () => {
    const lanes = oneByOne(settings({ policy: "rotation" }), new Array<Waiting>(500).fill(BOTH));
    expect(new Set(windows(lanes, 11))).toEqual(new Set([1]));
  });

  test("starts that only one lane waited for don't count", () => {
    const random = seededRandom(7);
    const waits = Array.from({ length: 600 }, () => {
      const dice = random();
      return dice < 0.5 ? BOTH : dice < 0.75 ? EXPRESS : STANDARD;
    });
    const lanes = oneByOne(settings({ slots: 1, burst: 1 }), waits);
    const contested = lanes.filter((_, index) => waits[index] === BOTH);
    expect(new Set(windows(contested, 10))).toEqual(new Set([3]));
    expect(lanes.every((lane, index) => waits[index]![lane])).toBe(true);
  });

  test("a queue that changes its policy keeps its turn", () => {
    const one = settings({ slots: 1, burst: 1 });
    let rotation = START_OF_ROTATION;
    for (let start = 0; start < 3; start += 1) {
      rotation = afterStart(rotation, { lane: "express", slot: "base" }, BOTH, one);
    }
    expect(admit(one, NONE, BOTH, rotation)?.lane).toBe("standard");
    expect(admit(settings({ policy: "rotation" }), NONE, BOTH, rotation)?.lane).toBe("express");
    rotation = afterStart(rotation, { lane: "express", slot: "base" }, BOTH, settings({ policy: "rotation" }));
    expect(admit(settings({ policy: "rotation" }), NONE, BOTH, rotation)?.lane).toBe("standard");
  });

  test("a turn that was denied stays owed; one taken early isn't held against standard", () => {
    const one = settings({ slots: 1, burst: 1 });
    let rotation = START_OF_ROTATION;
    for (let start = 0; start < 20; start += 1) {
      rotation = afterStart(rotation, { lane: "express", slot: "base" }, BOTH, one);
    }
    expect(admit(one, NONE, BOTH, rotation)?.lane).toBe("standard");
    rotation = START_OF_ROTATION;
    for (let start = 0; start < 5; start += 1) {
      rotation = afterStart(rotation, { lane: "standard", slot: "base" }, BOTH, one);
    }
    expect(rotation).toEqual(START_OF_ROTATION);
  });

  test("with one slot, burst starts lie outside the turns: three of ten on the slot itself, however many run beside it", () => {
    const config = settings({ slots: 1, burst: 2 });
    let rotation = START_OF_ROTATION;
    const onSlot: Lane[] = [];
    for (let round = 0; round < 200; round += 1) {
      const first = admit(config, NONE, BOTH, rotation)!;
      rotation = afterStart(rotation, first, BOTH, config);
      onSlot.push(first.lane);
      const beside = admit(config, occupy(NONE, first), BOTH, rotation)!;
      expect(beside).toEqual({ lane: "express", slot: "burst" });
      rotation = afterStart(rotation, beside, BOTH, config);
    }
    expect(new Set(windows(onSlot, 10))).toEqual(new Set([3]));
  });

  test("with one slot an express task still finds a burst slot when the turn is standard's", () => {
    const config = settings({ slots: 1, burst: 2 });
    const owed = { credit: 109 };
    const first = admit(config, NONE, BOTH, owed)!;
    expect(first).toEqual({ lane: "standard", slot: "base" });
    expect(admit(config, occupy(NONE, first), BOTH, owed)).toEqual({ lane: "express", slot: "burst" });
  });
});

/** A queue under random traffic: every start is judged by the share checker and by the rules in the words of the semantics. */
class Traffic {
  readonly #random: Random;
  readonly checker = new ShareChecker();
  readonly contested: Lane[] = [];
  steps = 0;
  starts = 0;
  #config: SlotSettings;
  #usage = NONE;
  #rotation = START_OF_ROTATION;
  readonly #running: Admission[] = [];
  readonly #waiting = { express: 0, standard: 0 };

  constructor(policy: Policy, random: Random) {
    this.#random = random;
    this.#config = this.#draw(policy);
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      this.steps += 1;
      this.#arrive();
      this.#startAll();
      this.#finish();
      if (this.#random() < 0.002) this.#config = this.#draw(this.#config.policy);
    }
  }

  #draw(policy: Policy): SlotSettings {
    const slots = this.#random() < 0.3 ? 1 : 1 + Math.floor(this.#random() * 12);
    const burst = slots + Math.floor(this.#random() * 2) * Math.floor(this.#random() * 8);
    const burstFor = this.#random() < 0.7 ? "express" : "all";
    return { policy, slots, burst, burstFor, share: Math.floor(this.#random() * 101) };
  }

  #arrive(): void {
    const oneLane = ["ladder", "strict", "fifo"].includes(this.#config.policy);
    if (!oneLane && this.#random() < 0.7) this.#waiting.express += Math.floor(this.#random() * 4);
    if (this.#random() < 0.5) this.#waiting.standard += Math.floor(this.#random() * 4);
  }

  #startAll(): void {
    for (;;) {
      const waiting = { express: this.#waiting.express > 0, standard: this.#waiting.standard > 0 };
      const allowed = allowedStarts(this.#config, this.#usage, waiting);
      const next = admit(this.#config, this.#usage, waiting, this.#rotation);
      if (next === null) {
        expect(allowed).toEqual([]);
        return;
      }
      expect(allowed).toContainEqual(next);
      const byTurn = this.#config.policy === "rotation" || this.#config.slots === 1;
      if (!byTurn || !(waiting.express && waiting.standard)) expect(next).toEqual(allowed[0]);
      this.#start(next, waiting);
    }
  }

  #start(next: Admission, waiting: Waiting): void {
    this.#waiting[next.lane] -= 1;
    this.#usage = occupy(this.#usage, next);
    this.#rotation = afterStart(this.#rotation, next, waiting, this.#config);
    this.#running.push(next);
    this.starts += 1;
    expect(this.checker.check(this.#config, this.#usage, waiting, next)).toBeNull();
  }

  #finish(): void {
    while (this.#running.length > 0 && this.#random() < 0.6) {
      const [ended] = this.#running.splice(Math.floor(this.#random() * this.#running.length), 1);
      this.#usage = vacate(this.#usage, ended!);
    }
  }
}

describe("admission under random traffic", () => {
  test.each(POLICIES)("%s keeps share, turns and slots, and leaves no allowed start undone", (policy) => {
    let steps = 0;
    let starts = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const traffic = new Traffic(policy, seededRandom(seed));
        traffic.run(2_000);
        expect(traffic.checker.breaches).toBe(0);
        expect(traffic.checker.starts).toBe(traffic.starts);
        steps += traffic.steps;
        starts += traffic.starts;
      }),
      { numRuns: 8, endOnFailure: true },
    );
    expect(steps).toBeGreaterThanOrEqual(16_000);
    expect(starts).toBeGreaterThan(8_000);
  });
});

describe("the share checker", () => {
  const usage = (express: number, standard: number, burst = 0): SlotUsage => ({ express, standard, burst });

  test("calls an express start beyond the cap a breach only while standard waits", () => {
    const start: Admission = { lane: "express", slot: "base" };
    expect(shareBreached(settings(), usage(3, 0), BOTH, start)).toBe("share");
    expect(shareBreached(settings(), usage(3, 0), EXPRESS, start)).toBeNull();
    expect(shareBreached(settings(), usage(2, 2), BOTH, start)).toBeNull();
  });

  test("express that runs already is no breach of a standard start", () => {
    expect(shareBreached(settings(), usage(3, 1), BOTH, { lane: "standard", slot: "base" })).toBeNull();
  });

  test("sees slots that don't exist, and slots that belong to others", () => {
    const base: Admission = { lane: "standard", slot: "base" };
    const burst: Admission = { lane: "standard", slot: "burst" };
    expect(shareBreached(settings(), usage(2, 3), STANDARD, base)).toBe("oversubscribed");
    expect(shareBreached(settings(), usage(2, 2, 5), BOTH, { lane: "express", slot: "burst" })).toBe("oversubscribed");
    expect(shareBreached(settings(), usage(2, 2, 1), BOTH, burst)).toBe("foreign_slot");
    expect(shareBreached(settings({ burstFor: "all" }), usage(2, 2, 1), BOTH, burst)).toBeNull();
    const isolated = settings({ policy: "isolated" });
    expect(shareBreached(isolated, usage(0, 3), STANDARD, base)).toBe("foreign_slot");
    expect(shareBreached(isolated, usage(3, 0), EXPRESS, { lane: "express", slot: "base" })).toBe("foreign_slot");
  });

  test("sees a turn that standard did not get", () => {
    const checker = new ShareChecker();
    const one = settings({ slots: 1, burst: 1 });
    const lanes: Lane[] = ["express", "express", "standard", "express", "express", "standard"];
    for (const lane of [...lanes, ...new Array<Lane>(4).fill("express")]) {
      checker.check(one, usage(lane === "express" ? 1 : 0, lane === "standard" ? 1 : 0), BOTH, { lane, slot: "base" });
    }
    expect(checker.breaches).toBe(1);
    expect(checker.last).toBe("turn");

    const rotation = new ShareChecker();
    const many = settings({ policy: "rotation", slots: 20, burst: 20 });
    for (let start = 1; start <= 11; start += 1) {
      expect(rotation.breaches).toBe(0);
      rotation.check(many, usage(start, 0), BOTH, { lane: "express", slot: "base" });
    }
    expect(rotation.last).toBe("turn");
  });

  test("catches an admission that ignores the cap", () => {
    const checker = new ShareChecker();
    let held = NONE;
    for (let start = 0; start < 4; start += 1) {
      const next: Admission = { lane: "express", slot: "base" };
      held = occupy(held, next);
      checker.check(settings(), held, BOTH, next);
    }
    expect(checker.breaches).toBe(2);
  });
});
