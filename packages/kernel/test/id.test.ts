import { checkTaskId, IdGenerator, MAX_ID_LENGTH, seededRandom } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "./models/refusal.ts";

describe("checkTaskId", () => {
  test.each([
    "a",
    "order-10086",
    "schedule:nightly:2026-03-01T00:00:00.000Z",
    "订单 7",
    "🚑",
    "a/b?c#d",
    "%2e",
    "...",
    "x".repeat(MAX_ID_LENGTH),
  ])("takes %s", (id) => {
    expect(checkTaskId(id)).toBe(id);
  });

  test.each([
    ["", /empty string/],
    ["x".repeat(MAX_ID_LENGTH + 1), /256 characters, more than the 255/],
    ["a\0b", /control character/],
    ["a\nb", /control character/],
    ["a\u001b[31mb", /control character/],
    ["a\u0085b", /control character/],
    ["a\u2028b", /control character or line separator/],
    ["a\ud800", /surrogate/],
    ["\udc00a", /surrogate/],
    [" a", /blank/],
    ["a\u00a0", /blank/],
    [".", /URL path/],
    ["..", /URL path/],
    [7, /got number/],
    [null, /got null/],
    [undefined, /got undefined/],
    [{}, /got object/],
    [Symbol("id"), /got symbol/],
  ])("refuses %j", (id, fault) => {
    const error = refusalOf(() => checkTaskId(id, "tasks[2].id"));
    expect(error).toMatchObject({ code: "invalid_id", field: "tasks[2].id" });
    expect(error.message).toMatch(/^tasks\[2\]\.id: /);
    expect(error.message).toMatch(fault);
  });
});

describe("IdGenerator", () => {
  test("writes 26 characters that checkTaskId takes, ms first", () => {
    const ids = new IdGenerator(seededRandom(1));
    const first = ids.taskId(1_772_355_600_000);
    expect(first).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(checkTaskId(first)).toBe(first);
    expect(readTime(first)).toBe(1_772_355_600_000);
    expect(readTime(ids.requestId(2 ** 48 - 1))).toBe(2 ** 48 - 1);
  });

  test("grows with every id, whatever the clock does", () => {
    const steps = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer(), steps, (seed, jumps) => {
        const ids = new IdGenerator(seededRandom(seed));
        let now = 1_772_355_600_000;
        let before = "";
        for (const jump of jumps) {
          now += jump;
          const id = ids.taskId(now);
          expect(id > before).toBe(true);
          before = id;
        }
      }),
    );
  });

  test("counts on through full halves and into the next ms", () => {
    // The highest draw there is: the first id of the ms is the last that fits.
    const ids = new IdGenerator(() => 1 - 2 ** -53);
    const last = ids.taskId(1_000);
    expect(last.slice(10)).toBe("Z".repeat(16));
    const next = ids.taskId(1_000);
    expect(readTime(next)).toBe(1_001);
    expect(next > last).toBe(true);

    const draws = [0.5, 0.5, 1 - 2 ** -53, 1 - 2 ** -53];
    const halfFull = new IdGenerator(() => draws.shift() ?? 0);
    const [one, two] = [halfFull.taskId(1_000), halfFull.taskId(1_000)];
    expect(one.slice(18)).toBe("ZZZZZZZZ");
    expect(two.slice(18)).toBe("00000000");
    expect(readTime(two)).toBe(1_000);
    expect(two > one).toBe(true);
  });

  test("never repeats over 200 000 ids of one ms and over many generators", () => {
    const ids = new IdGenerator(seededRandom(7));
    const made = new Set<string>();
    for (let n = 0; n < 200_000; n += 1) made.add(ids.taskId(5));
    for (let seed = 0; seed < 10_000; seed += 1) made.add(new IdGenerator(seededRandom(seed + 100)).taskId(5));
    expect(made.size).toBe(210_000);
  });

  test("draws all 80 bits", () => {
    let ones = 0n;
    let zeros = 0n;
    for (let seed = 0; seed < 200; seed += 1) {
      const bits = readBits(new IdGenerator(seededRandom(seed)).taskId(0));
      ones |= bits;
      zeros |= ~bits & (2n ** 80n - 1n);
    }
    expect(ones).toBe(2n ** 80n - 1n);
    expect(zeros).toBe(2n ** 80n - 1n);
  });
});

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function readTime(id: string): number {
  return [...id.slice(0, 10)].reduce((sum, digit) => sum * 32 + DIGITS.indexOf(digit), 0);
}

function readBits(id: string): bigint {
  return [...id.slice(10)].reduce((sum, digit) => sum * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
}
