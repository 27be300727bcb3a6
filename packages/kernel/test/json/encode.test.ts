import { encodeJson, utf8Length } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../models/refusal.ts";

const options = { field: "payload", maxBytes: 262_144 };
const encode = (value: unknown) => encodeJson(value, options);

class Point {
  readonly x = 1;
  readonly y = 2;
  get sum(): number {
    return this.x + this.y;
  }
}

/** Made afresh, since some hold themselves. */
function circle(): Record<string, unknown> {
  const order: Record<string, unknown> = { id: 1 };
  order["lines"] = [{ order }];
  return order;
}

function nested(levels: number, leaf: unknown = 1): unknown {
  let value = leaf;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

describe("encodeJson stores", () => {
  test.each<[string, unknown, string]>([
    ["null", null, "null"],
    ["booleans", [true, false], "[true,false]"],
    ["numbers", [0, -1.5, 1e21, 5e-324, 2 ** 53], "[0,-1.5,1e+21,5e-324,9007199254740992]"],
    ["-0 as 0", -0, "0"],
    ["text", "plain", '"plain"'],
    ["quotes, backslashes, control characters", '"\\\n\t\u0001\u007f', '"\\"\\\\\\n\\t\\u0001\u007f"'],
    ["emoji and right-to-left text", "🚑 שלום \u2028", '"🚑 שלום \u2028"'],
    ["what looks like an escape", "\\u0000", '"\\\\u0000"'],
    ["empty containers", { a: [], b: {} }, '{"a":[],"b":{}}'],
    ["keys in their order", { b: 1, a: 2, "": 3, '"': 4 }, '{"b":1,"a":2,"":3,"\\"":4}'],
    ["objects without prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["undefined fields by leaving them out", { a: undefined, b: 1, c: undefined }, '{"b":1}'],
    ["a Date as ISO text", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["a URL as text", new URL("https://example.com/a"), '"https://example.com/a"'],
    ["what toJSON answers", { a: { toJSON: (key: string) => [key] } }, '{"a":["a"]}'],
    ["toJSON without an answer by leaving it out", { a: { toJSON: () => undefined }, b: 1 }, '{"b":1}'],
    ["own fields of a class instance", new Point(), '{"x":1,"y":2}'],
    [
      "no symbol keys, no hidden fields",
      Object.defineProperty({ a: 1, [Symbol("s")]: 2 }, "hidden", { value: 3 }),
      '{"a":1}',
    ],
    [
      "the same object twice",
      (() => {
        const shared = { n: 1 };
        return [shared, { shared }];
      })(),
      '[{"n":1},{"shared":{"n":1}}]',
    ],
    ["a proxy of plain data", new Proxy({ a: [1] }, {}), '{"a":[1]}'],
  ])("%s", (_name, value, text) => {
    expect(encode(value)).toBe(text);
  });

  test("an answer of toJSON that is the object itself, without asking again", () => {
    const value = {
      a: 1,
      toJSON() {
        return this;
      },
    };
    expect(refusalOf(() => encode(value)).message).toMatch(/^payload\.toJSON: a function/);
    expect(
      encode(
        Object.defineProperty({ a: 1 }, "toJSON", {
          value() {
            return this;
          },
        }),
      ),
    ).toBe('{"a":1}');
  });

  test("500 levels, and no more", () => {
    expect(JSON.parse(encode(nested(500)))).toEqual(nested(500));
    expect(refusalOf(() => encode(nested(501)))).toMatchObject({ code: "unstorable_value" });
  });

  test("exactly what JSON.stringify writes, wherever that loses nothing", () => {
    const plain = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes("__proto__"));
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value);
        if (/\\u0000|\\ud[89a-f]/.test(text)) return;
        expect(encode(value)).toBe(text);
        // A Date beside it sends the whole value through the slower writer.
        expect(encode([new Date(5), value])).toBe(JSON.stringify([new Date(5), value]));
      }),
    );
  });
});

describe("encodeJson refuses", () => {
  const lossy = /can't be stored/;
  test.each<[string, unknown, string, RegExp]>([
    ["undefined as the whole", undefined, "payload", /undefined can't be stored; use null/],
    ["undefined in a list", { items: [1, undefined] }, "payload.items[1]", /undefined/],
    // biome-ignore lint/suspicious/noSparseArray: the hole is the case.
    ["a hole in a list", { items: [1, , 3] }, "payload.items[1]", /undefined/],
    ["a BigInt", { items: [{}, { price: 10n }] }, "payload.items[1].price", /a BigInt/],
    ["NaN", { n: Number.NaN }, "payload.n", /NaN can't be stored; use null or a string/],
    ["Infinity", [Number.POSITIVE_INFINITY], "payload[0]", /Infinity/],
    ["-Infinity", Number.NEGATIVE_INFINITY, "payload", /-Infinity/],
    ["a function", { run: () => 1 }, "payload.run", /a function/],
    ["a symbol", { s: Symbol("s") }, "payload.s", /a symbol/],
    ["a Map", { map: new Map([[1, 2]]) }, "payload.map", /a Map can't be stored; use Object\.fromEntries/],
    ["a Set", new Set([1]), "payload", /a Set can't be stored; use a list/],
    ["a WeakMap", new WeakMap(), "payload", lossy],
    ["an Error", { e: new RangeError("no") }, "payload.e", /an Error can't be stored; pass its message/],
    ["a RegExp", /a/, "payload", /a RegExp/],
    ["a Promise", Promise.resolve(1), "payload", /a Promise/],
    ["boxed text", { s: new String("s") }, "payload.s", /a String/],
    ["a boxed number", new Number(1), "payload", /a Number/],
    [
      "a Buffer",
      { file: Buffer.from("abc") },
      "payload.file",
      /binary data \(Uint8Array\) can't be stored; use base64 text/,
    ],
    ["a typed array", new Float64Array(2), "payload", /binary data \(Float64Array\)/],
    ["an ArrayBuffer", [new ArrayBuffer(2)], "payload[0]", /binary data/],
    ["URLSearchParams", new URLSearchParams("a=1"), "payload", /a URLSearchParams/],
    ["an invalid Date", { at: new Date(Number.NaN) }, "payload.at", /an invalid Date/],
    ["a circle", circle(), "payload.lines[0].order", /a circle \(it refers back to payload\)/],
    [
      "a circle through toJSON",
      (() => {
        const a: { toJSON(): unknown } = { toJSON: () => ({ a }) };
        return a;
      })(),
      "payload",
      lossy,
    ],
    [
      "a toJSON that throws",
      {
        a: {
          toJSON: () => {
            throw new Error("no such row");
          },
        },
      },
      "payload.a",
      /throws when it is read.*no such row/,
    ],
    [
      "a getter that throws",
      {
        get a(): number {
          throw new Error("closed");
        },
      },
      "payload",
      /closed/,
    ],
    [
      "a getter that throws null",
      {
        get a(): number {
          throw null;
        },
      },
      "payload",
      /throws when it is read/,
    ],
    ["NUL in text", { a: ["x\0y"] }, "payload.a[0]", /NUL/],
    ["NUL in a key", { "a\0b": 1 }, 'payload["a\\u0000b"]', /NUL/],
    ["half a pair in text", { a: "x\ud83d" }, "payload.a", /surrogate/],
    ["half a pair in a key", { "\ude91": 1 }, 'payload["\\ude91"]', /surrogate/],
    [
      "the key __proto__",
      JSON.parse('{"a":{"__proto__":{"admin":true}}}'),
      "payload.a.__proto__",
      /the key __proto__ can't be stored/,
    ],
    ["an odd key, quoted", { "a b": { "c\u001b": 1n } }, 'payload["a b"]["c\\u001b"]', /BigInt/],
    ["an empty key", { "": 1n }, 'payload[""]', /BigInt/],
  ])("%s", (_name, value, path, fault) => {
    const error = refusalOf(() => encode(value));
    expect(error).toMatchObject({ code: "unstorable_value", retryable: false });
    expect(error.field?.startsWith(path)).toBe(true);
    expect(error.message.startsWith(path)).toBe(true);
    expect(error.message).toMatch(fault);
  });

  test("10 000 levels by their path, without running out of stack", () => {
    for (const value of [nested(10_000), nested(10_000, 1n)]) {
      const error = refusalOf(() => encode(value));
      expect(error.message).toMatch(/^payload.*nesting deeper than 500 levels can't be stored; pass flatter data$/);
      expect(error.message.length).toBeLessThan(400);
    }
  });

  test("a revoked proxy", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(refusalOf(() => encode({ a: proxy }))).toMatchObject({ code: "unstorable_value" });
  });

  test("what changes between two looks at it, or stores what it checked", () => {
    const answers: unknown[] = [1, "a\0b", 10n, "__proto__", Number.NaN, { "\ud800": 1 }];
    for (const first of answers) {
      for (const second of answers) {
        let looks = 0;
        const shifty = {
          get a() {
            looks += 1;
            return looks === 1 ? first : second;
          },
        };
        let text = "{}";
        try {
          text = encode(shifty);
        } catch (error) {
          expect(error).toMatchObject({ code: "unstorable_value" });
        }
        expect(text).not.toMatch(/\\u0000|\\ud8/);
      }
    }
  });

  test("keeps its line short, however long the keys", () => {
    const value = { ["k".repeat(100_000)]: { ["x y".repeat(100_000)]: { z: 1n } } };
    expect(refusalOf(() => encodeJson(value, { field: "payload", maxBytes: 10_000_000 })).message.length).toBeLessThan(
      400,
    );
  });
});

describe("the size limit", () => {
  test.each<[string, unknown]>([
    ["ASCII", "x".repeat(98)],
    ["two bytes each", "é".repeat(49)],
    ["three bytes each", `${"€".repeat(32)}xx`],
    ["four bytes each", `${"🚑".repeat(24)}xx`],
    ["escapes", `${"\n".repeat(49)}`],
    ["a list", Array.from({ length: 49 }, () => 1).concat(11)],
    ["a field", { [`k${"é".repeat(44)}`]: "xxxxx" }],
  ])("counts bytes of UTF-8 exactly: %s", (_name, value) => {
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeGreaterThan(90);
    expect(encodeJson(value, { field: "payload", maxBytes: bytes })).toBe(text);
    const error = refusalOf(() => encodeJson(value, { field: "payload", maxBytes: bytes - 1 }));
    expect(error).toMatchObject({ code: "payload_too_large", field: "payload" });
    expect(error.message).toBe(
      `payload: is larger than ${bytes - 1} bytes of JSON; keep the data elsewhere and pass a reference`,
    );
  });

  test("is met before the work is done", () => {
    let reads = 0;
    const endless = new Proxy([], {
      get: (_target, key) => {
        if (key === "length") return Number.MAX_SAFE_INTEGER;
        reads += 1;
        return key === "toJSON" || key === Symbol.toStringTag ? undefined : 7;
      },
    });
    expect(refusalOf(() => encodeJson(endless, { field: "payload", maxBytes: 1_000 })).code).toBe("payload_too_large");
    expect(reads).toBeLessThan(3_000);
    expect(refusalOf(() => encode("x".repeat(50_000_000))).code).toBe("payload_too_large");
    expect(refusalOf(() => encode({ a: ["\u0001".repeat(262_140)] })).code).toBe("payload_too_large");
  });
});

test("utf8Length counts as an encoder does", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.integer({ min: 0, max: 0xffff })), (text, units) => {
      const odd = String.fromCharCode(...units);
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      expect(utf8Length(odd)).toBe(Buffer.byteLength(odd));
    }),
  );
});
