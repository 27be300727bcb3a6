import { TimingWheel, type WheelEntry } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const DAY = 86_400_000;
const ERA = 2 ** 42;
/** 2026-07-14T12:00:00Z */
const START = 1_784_030_400_000;

interface Planned {
  readonly id: number;
  readonly at: number;
}

/** What a firing callback does besides being called. */
type Act = { readonly insert: number } | { readonly cancel: number } | null;

type Step =
  | { readonly kind: "insert"; readonly delay: number; readonly act: Act }
  | { readonly kind: "cancel"; readonly which: number }
  | { readonly kind: "advance"; readonly by: number }
  | { readonly kind: "back"; readonly by: number }
  | { readonly kind: "next" };

/** The wheel beside a list that is sorted in full at every advance. */
class World {
  readonly #wheel: TimingWheel<Planned>;
  readonly #entries = new Map<number, WheelEntry<Planned>>();
  readonly #acts = new Map<number, Act>();
  #pending: Planned[] = [];
  #now: number;
  #ids = 0;
  fired = 0;

  constructor(start: number) {
    this.#now = start;
    this.#wheel = new TimingWheel<Planned>(start);
  }

  step(step: Step): void {
    switch (step.kind) {
      case "insert":
        this.#insert(this.#now + step.delay, step.act);
        break;
      case "cancel":
        this.#cancel(step.which);
        break;
      case "advance":
        this.#advanceTo(this.#now + step.by);
        break;
      case "back":
        this.#advanceTo(this.#now - step.by);
        break;
      case "next":
        this.#advanceToNext();
        break;
    }
    expect(this.#wheel.size).toBe(this.#pending.length);
    this.#checkNext();
  }

  /** Goes from event to event until nothing is left: each advance must make progress, and the last time is that of the last entry. */
  finish(): void {
    // No entry is dealt out more than once per level, so this many advances always suffice.
    for (let left = 10 * this.#pending.length + 50; this.#wheel.size > 0; left -= 1) {
      expect(left).toBeGreaterThan(0);
      this.#advanceToNext();
    }
    expect(this.#wheel.nextAt()).toBeNull();
    expect(this.#pending).toEqual([]);
  }

  #insert(at: number, act: Act): Planned {
    const planned = { id: this.#ids++, at: Math.ceil(at) };
    this.#pending.push(planned);
    this.#acts.set(planned.id, act);
    this.#entries.set(planned.id, this.#wheel.insert(at, planned));
    return planned;
  }

  #cancel(which: number): Planned | null {
    if (this.#ids === 0) return null;
    const id = which % this.#ids;
    const known = this.#pending.find((planned) => planned.id === id) ?? null;
    expect(this.#wheel.cancel(this.#entries.get(id)!)).toBe(known !== null);
    this.#pending = this.#pending.filter((planned) => planned !== known);
    return known;
  }

  #advanceToNext(): void {
    const next = this.#wheel.nextAt();
    if (next !== null) this.#advanceTo(Math.max(this.#now, next));
  }

  #advanceTo(to: number): void {
    const from = Math.floor(Math.min(this.#now, to));
    this.#now = to;
    const target = Math.floor(to);
    const expected = this.#pending.filter((planned) => planned.at <= target);
    const sort = (): void => {
      expected.sort((one, other) => one.at - other.at || one.id - other.id);
    };
    sort();
    const count = this.#wheel.advance(to, (planned, at) => {
      this.fired += 1;
      expect(planned.at).toBe(at);
      expect(planned.id).toBe(expected.shift()?.id);
      this.#pending = this.#pending.filter((other) => other !== planned);
      const act = this.#acts.get(planned.id) ?? null;
      if (act === null) return;
      if ("cancel" in act) {
        const gone = this.#cancel(act.cancel);
        if (gone !== null && expected.includes(gone)) expected.splice(expected.indexOf(gone), 1);
        return;
      }
      const born = this.#insert(at + act.insert, null);
      // Only what comes after the ms being fired may still fire in this call.
      if (born.at > Math.max(from, at) && born.at <= target) {
        expected.push(born);
        sort();
      }
    });
    expect(expected).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(0);
  }

  /** Never later than the earliest entry. */
  #checkNext(): void {
    const next = this.#wheel.nextAt();
    if (this.#pending.length === 0) expect(next).toBeNull();
    else expect(next).toBeLessThanOrEqual(Math.min(...this.#pending.map((planned) => planned.at)));
  }
}

const horizon = fc.oneof(
  fc.integer({ min: -500, max: 200 }),
  fc.integer({ min: 0, max: 5000 }),
  fc.constantFrom(63, 64, 65, 4095, 4096, 262_143, 262_144, 2 ** 24, 2 ** 31, 2 ** 32, 2 ** 36 - 1),
  fc.double({ min: 0, max: 400, noNaN: true }),
  fc.integer({ min: 0, max: 400 * DAY }),
  fc.constantFrom(ERA, 2 * ERA, 3 * ERA + 17, 100 * ERA),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 300 }).map((insert) => ({ insert })) },
  { weight: 2, arbitrary: fc.nat(60).map((cancel) => ({ cancel })) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("insert" as const), delay: horizon, act }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), which: fc.nat(200) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("advance" as const), by: horizon.map((by) => Math.abs(by)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("back" as const), by: fc.nat(DAY) }) },
  { weight: 3, arbitrary: fc.constant({ kind: "next" as const }) },
);

describe("the timing wheel against sorting", () => {
  test("any mix of inserts, cancels, advances and a clock set back fires the same values in the same order", () => {
    let fired = 0;
    const start = fc.constantFrom(0, -90_000, START, ERA - 5000, ERA - DAY, 3 * ERA - 1);
    fc.assert(
      fc.property(start, fc.array(step, { minLength: 1, maxLength: 120, size: "max" }), (from, steps) => {
        const world = new World(from);
        for (const one of steps) world.step(one);
        world.finish();
        fired += world.fired;
      }),
      { numRuns: 700 },
    );
    expect(fired).toBeGreaterThan(10_000);
  });

  test("20 000 timers over 400 days fire in order, each advance going straight to the next", () => {
    const wheel = new TimingWheel<number>(START);
    const due: number[] = [];
    for (let index = 0; index < 20_000; index += 1) {
      const at = START + ((index * 2_654_435_761) % (400 * DAY));
      due.push(at);
      wheel.insert(at, at);
    }
    due.sort((one, other) => one - other);
    const seen: number[] = [];
    let advances = 0;
    for (let next = wheel.nextAt(); next !== null; next = wheel.nextAt()) {
      advances += 1;
      wheel.advance(next, (at) => {
        expect(at).toBe(next);
        seen.push(at);
      });
    }
    expect(seen).toEqual(due);
    // Nothing was cancelled, so nextAt was exact every time.
    expect(advances).toBe(new Set(due).size);
  });
});

describe("the timing wheel", () => {
  const collect = (wheel: TimingWheel<string>, now: number): string[] => {
    const fired: string[] = [];
    wheel.advance(now, (value) => fired.push(value));
    return fired;
  };

  test("never fires early, not by a fraction of a ms", () => {
    const wheel = new TimingWheel<string>(10.9);
    wheel.insert(20.2, "a");
    expect(wheel.nextAt()).toBe(21);
    expect(collect(wheel, 20.9999)).toEqual([]);
    expect(collect(wheel, 21)).toEqual(["a"]);
  });

  test("what is due already fires at the next advance, in order of due time and before the rest", () => {
    const wheel = new TimingWheel<string>(1000);
    wheel.insert(1001, "later");
    wheel.insert(1000, "now");
    wheel.insert(3, "long past");
    wheel.insert(999, "past");
    expect(wheel.nextAt()).toBe(3);
    expect(collect(wheel, 1001)).toEqual(["long past", "past", "now", "later"]);
  });

  test("a callback that inserts what is due already can't keep one advance going for ever", () => {
    const wheel = new TimingWheel<string>(0);
    let calls = 0;
    wheel.insert(5, "again");
    const again = (value: string, at: number): void => {
      calls += 1;
      wheel.insert(at, value);
    };
    wheel.advance(10, again);
    expect(calls).toBe(1);
    expect(wheel.nextAt()).toBe(5);
    wheel.advance(10, again);
    expect(calls).toBe(2);
  });

  test("a clock set back by hours fires nothing early and what is planned then fires at its time", () => {
    const wheel = new TimingWheel<string>(17 * 3_600_000);
    const day = 15 * 3_600_000;
    wheel.insert(17 * 3_600_000 + 50, "planned before");
    wheel.insert(day + 120_000, "planned after the jump, before any advance");
    expect(wheel.nextAt()).toBe(day + 120_000);
    expect(collect(wheel, day + 60_000)).toEqual([]);
    wheel.insert(day + 90_000, "planned after it");
    expect(collect(wheel, day + 89_999)).toEqual([]);
    expect(collect(wheel, day + 90_000)).toEqual(["planned after it"]);
    expect(collect(wheel, day + 120_000)).toEqual(["planned after the jump, before any advance"]);
    expect(wheel.nextAt()).toBe(17 * 3_600_000 + 50);
  });

  test("a value fires once, also when the clock goes back over its time", () => {
    const wheel = new TimingWheel<string>(0);
    wheel.insert(500, "once");
    expect(collect(wheel, 600)).toEqual(["once"]);
    expect(collect(wheel, 100)).toEqual([]);
    expect(collect(wheel, 600)).toEqual([]);
    expect(wheel.size).toBe(0);
  });

  test("a far time is no near one: nothing wraps at 2^31 ms, 2^32 ms or beyond the wheel's seven levels", () => {
    const wheel = new TimingWheel<string>(START);
    for (const far of [2 ** 31, 2 ** 32, 400 * DAY, ERA, 36_500 * DAY, 8_640_000_000_000_000 - START]) {
      const entry = wheel.insert(START + far, "far");
      expect(wheel.nextAt()).toBe(START + far);
      expect(collect(wheel, START + 1)).toEqual([]);
      expect(wheel.cancel(entry)).toBe(true);
      expect(wheel.nextAt()).toBeNull();
    }
  });

  test("a throwing callback spends its own entry only; the rest fires with the next call", () => {
    const wheel = new TimingWheel<string>(0);
    for (const value of ["good", "bad", "after", "last"]) wheel.insert(value === "last" ? 8 : 7, value);
    const fired: string[] = [];
    const fire = (value: string): void => {
      fired.push(value);
      if (value === "bad") {
        wheel.insert(7, "late");
        throw new Error("no");
      }
    };
    expect(() => wheel.advance(8, fire)).toThrow("no");
    expect(fired).toEqual(["good", "bad"]);
    expect(wheel.size).toBe(3);
    expect(wheel.nextAt()).toBe(7);
    wheel.advance(8, fire);
    expect(fired).toEqual(["good", "bad", "after", "late", "last"]);
  });

  test("cancelling an entry of the very ms being fired keeps it from firing", () => {
    const wheel = new TimingWheel<string>(0);
    const fired: string[] = [];
    wheel.insert(5, "first");
    const second = wheel.insert(5, "second");
    wheel.advance(5, (value) => {
      fired.push(value);
      expect(wheel.cancel(second)).toBe(true);
    });
    expect(fired).toEqual(["first"]);
    expect(wheel.cancel(second)).toBe(false);
  });

  test("refuses what is no time, and an advance from within a callback", () => {
    const wheel = new TimingWheel<string>(0);
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
      expect(() => wheel.insert(wrong, "x")).toThrow(RangeError);
      expect(() => wheel.advance(wrong, () => {})).toThrow(RangeError);
    }
    wheel.insert(1, "x");
    expect(() => wheel.advance(1, () => wheel.advance(2, () => {}))).toThrow("callback");
    expect(collect(wheel, 2)).toEqual([]);
  });

  test("deals out a slot of a hundred thousand when the clock goes back", () => {
    const wheel = new TimingWheel<number>(START);
    for (let index = 0; index < 150_000; index += 1) wheel.insert(START + DAY, index);
    let next = 0;
    wheel.advance(START - DAY, () => expect.unreachable());
    wheel.advance(START + DAY, (value) => {
      if (value !== next) expect(value).toBe(next);
      next += 1;
    });
    expect(next).toBe(150_000);
  });
});
