import { encodeResult } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

/** Made afresh, since some hold themselves. */
function circle(): Record<string, unknown> {
  const order: Record<string, unknown> = { id: 1 };
  order["lines"] = [{ order }];
  return order;
}

describe("encodeResult", () => {
  const result = (value: unknown, maxBytes = 262_144) => {
    const { text, note } = encodeResult(value, maxBytes);
    return { value: JSON.parse(text) as unknown, note };
  };

  test.each<[string, unknown, unknown]>([
    ["undefined as null", undefined, null],
    ["plain data as it is", { ok: true, n: [1, null] }, { ok: true, n: [1, null] }],
    ["a Date as ISO text", new Date(0), "1970-01-01T00:00:00.000Z"],
  ])("%s, without a note", (_name, value, stored) => {
    expect(result(value)).toEqual({ value: stored, note: null });
  });

  test.each<[string, unknown, unknown, RegExp]>([
    [
      "a BigInt",
      { ok: true, n: 10n },
      { ok: true, n: "[not stored: a BigInt]" },
      /^result\.n: a BigInt was not stored$/,
    ],
    [
      "NaN and the infinities",
      [Number.NaN, Number.POSITIVE_INFINITY, -Infinity, 1],
      [null, null, null, 1],
      /^result\[0\]: NaN .*\(and 2 more\)$/,
    ],
    ["undefined in a list", [undefined, 1, new Date(0)], [null, 1, "1970-01-01T00:00:00.000Z"], /^null$/],
    ["a Map", { map: new Map(), a: 1 }, { map: "[not stored: a Map]", a: 1 }, /result\.map/],
    ["a Set", new Set(), "[not stored: a Set]", /^result: a Set/],
    ["a Buffer", Buffer.from("a"), "[not stored: binary data (Uint8Array)]", /binary/],
    ["a function", () => 1, "[not stored: a function]", /a function/],
    [
      "a circle",
      circle(),
      { id: 1, lines: [{ order: "[not stored: a circle (it refers back to result)]" }] },
      /circle/,
    ],
    [
      "a throwing toJSON",
      [
        1,
        {
          toJSON: () => {
            throw new Error("x");
          },
        },
        3,
      ],
      [1, "[not stored: a value that throws when it is read]", 3],
      /^result\[1\]/,
    ],
    [
      "a throwing getter deep inside",
      {
        a: 1,
        b: {
          c: {
            get d(): number {
              throw new Error("x");
            },
          },
        },
        e: 2,
      },
      { a: 1, b: { c: "[not stored: a value that throws when it is read]" }, e: 2 },
      /^result\.b\.c\.d|^result\.b\.c/,
    ],
    ["NUL and half a pair in text and keys", { "k\0": "a\0b\ud800" }, { "k\ufffd": "a\ufffdb\ufffd" }, /NUL/],
    ["the key __proto__", JSON.parse('{"a":1,"__proto__":2,"b":3}'), { a: 1, b: 3 }, /__proto__/],
    ["toJSON without an answer", { toJSON: () => undefined }, "[not stored: undefined]", /undefined/],
    ["an invalid Date", [new Date(Number.NaN)], ["[not stored: an invalid Date]"], /invalid Date/],
    ["a Symbol", Symbol("x"), "[not stored: a symbol]", /symbol/],
  ])("replaces %s and says so", (_name, value, stored, note) => {
    const answer = result(value);
    expect(answer.value).toEqual(stored);
    expect(String(answer.note)).toMatch(note);
  });

  test("keeps the beginning of what is too large", () => {
    for (const value of ["x".repeat(50_000_000), { rows: Array.from({ length: 100_000 }, (_, n) => ({ n })) }]) {
      const { text, note } = encodeResult(value, 262_144);
      expect(text.length).toBeLessThan(3_000);
      expect(JSON.parse(text)).toEqual({ cut: JSON.stringify(value).slice(0, 1_000) });
      expect(note).toBe("result: is larger than 262144 bytes of JSON; keep the data elsewhere and pass a reference");
    }
  });

  test("fits its limit, however small and whatever the text", () => {
    const text = fc.string({ unit: "binary", maxLength: 400 });
    fc.assert(
      fc.property(fc.oneof(text, fc.array(text), fc.object()), fc.integer({ min: 4, max: 600 }), (value, maxBytes) => {
        const stored = encodeResult(value, maxBytes).text;
        expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(maxBytes);
        JSON.parse(stored);
      }),
    );
  });

  test("answers for whatever is returned", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withTypedArray: true,
      withSparseArray: true,
      withObjectString: true,
      withBoxedValues: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const { text } = encodeResult(value, 262_144);
        expect(text).not.toContain("\\u0000");
        expect(text.isWellFormed()).toBe(true);
        JSON.parse(text);
      }),
    );
  });
});
