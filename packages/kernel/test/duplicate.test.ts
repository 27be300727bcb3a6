import { canonicalJson, judgeDuplicate, payloadHash, typeName } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const type = typeName("close_order");
const other = typeName("open_order");

describe("judgeDuplicate (A8, V-29)", () => {
  test.each([
    ["the same text", '{"a":1,"b":[1,2]}', "same"],
    ["another order of keys", '{"b":[1,2],"a":1}', "same"],
    ["blanks", '{ "a": 1, "b": [1, 2] }', "same"],
    ["another way to write a number", '{"a":1.0,"b":[1,2e0]}', "same"],
    ["another value", '{"a":2,"b":[1,2]}', "payload"],
    ["another order of a list", '{"a":1,"b":[2,1]}', "payload"],
    ["one field more", '{"a":1,"b":[1,2],"c":null}', "payload"],
    ["text for a number", '{"a":"1","b":[1,2]}', "payload"],
    ["null", "null", "payload"],
  ])("%s", (_name, payload, answer) => {
    const stored = '{"a":1,"b":[1,2]}';
    const verdict = answer === "same" ? { kind: "same" } : { kind: "conflict", field: answer };
    expect(judgeDuplicate({ type, payload: stored }, { type, payload })).toEqual(verdict);
    const remembered = { type, payloadHash: payloadHash(canonicalJson(stored)) };
    expect(judgeDuplicate(remembered, { type, payload })).toEqual(verdict);
  });

  test("another type is a conflict by its type, whatever the payload", () => {
    const conflict = { kind: "conflict", field: "type" };
    expect(judgeDuplicate({ type, payload: "1" }, { type: other, payload: "1" })).toEqual(conflict);
    expect(judgeDuplicate({ type, payloadHash: "x" }, { type: other, payload: "1" })).toEqual(conflict);
  });
});

describe("canonicalJson", () => {
  test("sorts keys by their units at every level", () => {
    expect(canonicalJson('{"b":{"z":1,"a":[{"d":1,"c":2}]},"A":"é","10":1,"9":2,"":null,"\\ud83d\\ude91":true}')).toBe(
      '{"":null,"10":1,"9":2,"A":"é","b":{"a":[{"c":2,"d":1}],"z":1},"🚑":true}',
    );
    expect(canonicalJson('{"__proto__":1,"a":2}')).toBe('{"__proto__":1,"a":2}');
  });

  test("is equal exactly for equal values, and stable", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, two) => {
        const text = canonicalJson(JSON.stringify(one));
        expect(canonicalJson(text)).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)));
        expect(canonicalJson(JSON.stringify(shuffled(one)))).toBe(text);
        const same = canonicalJson(JSON.stringify(two)) === text;
        expect(same).toBe(isEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(two))));
      }),
    );
  });
});

describe("payloadHash", () => {
  test("is fixed: what one version remembered, the next must know", () => {
    expect(payloadHash("")).toBe("00000000000000000000000000000000");
    expect(payloadHash("{}")).toBe(payloadHash("{}"));
    expect([payloadHash("{}"), payloadHash('{"orderId":10086}'), payloadHash("🚑é".repeat(50))]).toMatchInlineSnapshot(`
      [
        "17692c8fa5a22492a5a22492a5a22492",
        "6cd069b10b778d1d16f1b6c641d402e9",
        "9f42d59644e1aa42cd1c10aac2882bee",
      ]
    `);
  });

  test("differs for all of 200 000 near neighbours, in each of its quarters' spread", () => {
    const seen = new Set<string>();
    for (let n = 0; n < 100_000; n += 1) {
      seen.add(payloadHash(`{"orderId":${n}}`));
      seen.add(payloadHash(`"${"x".repeat(n % 40)}${n}"`));
    }
    expect(seen.size).toBe(200_000);
  });

  test("changes about half its bits with any one unit, wherever it stands", () => {
    let flipped = 0;
    let pairs = 0;
    for (let length = 1; length <= 40; length += 1) {
      for (let at = 0; at < length; at += 1) {
        const text = "a".repeat(length);
        const changed = `${text.slice(0, at)}b${text.slice(at + 1)}`;
        flipped += onesOf(BigInt(`0x${payloadHash(text)}`) ^ BigInt(`0x${payloadHash(changed)}`));
        pairs += 1;
      }
    }
    expect(flipped / pairs).toBeGreaterThan(60);
    expect(flipped / pairs).toBeLessThan(68);
  });

  test("tells lengths apart, and the units above a byte", () => {
    const texts = ["a", "aa", "aaa", "\0", "\0\0", "\0".repeat(8), "\0".repeat(9), "\u0161", "\u0061\u0001", "\u6161"];
    expect(new Set(texts.map(payloadHash)).size).toBe(texts.length);
  });
});

function onesOf(bits: bigint): number {
  return bits.toString(2).replaceAll("0", "").length;
}

/** The same value with the keys of every object turned round. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, item]) => [key, shuffled(item)]));
}

function isEqual(one: unknown, two: unknown): boolean {
  if (typeof one !== "object" || typeof two !== "object" || one === null || two === null) return one === two;
  if (Array.isArray(one) !== Array.isArray(two)) return false;
  const [keys, others] = [Object.keys(one), Object.keys(two)];
  const [left, right] = [one as Record<string, unknown>, two as Record<string, unknown>];
  return (
    keys.length === others.length && keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]))
  );
}
