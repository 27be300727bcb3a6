import { ERROR_LIMITS, toStoredError } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

function withCause(cause: unknown): Error {
  return new Error("outer", { cause });
}

function circularCause(): Error {
  const error = new Error("outer");
  const inner = new TypeError("inner", { cause: error });
  return Object.assign(error, { cause: inner });
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Every trap throws, as may every property of an ordinary object. */
function hostile(target: object): unknown {
  const refuse = () => {
    throw new Error("trap");
  };
  return new Proxy(target, {
    get: refuse,
    has: refuse,
    ownKeys: refuse,
    getPrototypeOf: refuse,
    getOwnPropertyDescriptor: refuse,
  });
}

describe("toStoredError (V-34)", () => {
  test.each<[string, unknown, string, RegExp]>([
    ["undefined", undefined, "NonError", /^undefined was thrown$/],
    ["null", null, "NonError", /^null was thrown$/],
    ["a number", 42, "NonError", /^42 was thrown$/],
    ["NaN", Number.NaN, "NonError", /^NaN was thrown$/],
    ["a boolean", false, "NonError", /^false was thrown$/],
    ["a BigInt", 10n, "NonError", /^10n was thrown$/],
    ["a symbol", Symbol("why"), "NonError", /^Symbol\(why\) was thrown$/],
    ["text", "the printer is on fire", "NonError", /^the printer is on fire$/],
    ["empty text", "", "NonError", /^an empty string was thrown$/],
    ["blank text", " \n\t", "NonError", /^an empty string was thrown$/],
    ["a function", () => 1, "NonError", /^not an error but a function$/],
    ["{}", {}, "NonError", /^not an error but an object: \{\}$/],
    ["a list", [1, 2], "NonError", /^not an error but an object: \[1,2\]$/],
    [
      "an object without prototype",
      Object.assign(Object.create(null), { a: 1n }),
      "NonError",
      /\{"a":"\[not stored: a BigInt\]"\}/,
    ],
    [
      "an object that holds itself",
      (() => {
        const a: Record<string, unknown> = {};
        a["a"] = a;
        return a;
      })(),
      "NonError",
      /circle/,
    ],
    ["an object with a message", { message: "half an error" }, "Error", /^half an error$/],
    ["an Error", new Error("plain"), "Error", /^plain$/],
    ["an Error without message", new RangeError(), "RangeError", /^RangeError without a message$/],
    ["an Error with a blank message", new Error("  "), "Error", /^Error without a message$/],
    [
      "an Error whose message is no text",
      Object.assign(new Error("x"), { message: { no: "text" } }),
      "Error",
      /^Error without a message$/,
    ],
    ["an Error without a name", Object.assign(new Error("x"), { name: "" }), "Error", /^x$/],
    ["an Error whose name is no text", Object.assign(new Error("x"), { name: 5 }), "Error", /^x$/],
    ["a frozen Error", Object.freeze(new Error("cold")), "Error", /^cold$/],
    [
      "an AggregateError with words",
      new AggregateError([new Error("a")], "two mirrors"),
      "AggregateError",
      /^two mirrors$/,
    ],
    [
      "an AggregateError without",
      new AggregateError([new Error("a"), "b"]),
      "AggregateError",
      /^2 errors, the first: a$/,
    ],
    ["an AggregateError of text", new AggregateError(["b"]), "AggregateError", /^1 errors, the first: b$/],
    ["an empty AggregateError", new AggregateError([]), "AggregateError", /^AggregateError without a message$/],
    [
      "getters that throw",
      {
        get message(): string {
          throw new Error("x");
        },
        get stack(): string {
          throw new Error("x");
        },
      },
      "NonError",
      /throws when it is read/,
    ],
    ["a revoked proxy", revoked({}), "NonError", /throws when it is read/],
    ["a revoked function proxy", revoked(() => 1), "NonError", /a function/],
    ["a hostile proxy", hostile({}), "NonError", /throws when it is read/],
    ["a hostile Error proxy", hostile(new Error("x")), "NonError", /throws when it is read/],
    ["a Promise", Promise.resolve(1), "NonError", /not stored: a Promise/],
    ["NUL and half a pair", new Error("a\0b\ud800c"), "Error", /^a\ufffdb\ufffdc$/],
    ["text with NUL", "a\0b", "NonError", /^a\ufffdb$/],
  ])("records %s", (_name, thrown, name, message) => {
    const stored = toStoredError(thrown);
    expect(stored.name).toBe(name);
    expect(stored.message).toMatch(message);
    expectStorable(stored);
  });

  test("keeps code, stack and the classifier's word", () => {
    const error = Object.assign(new Error("gone"), { code: "ECONNRESET" });
    expect(toStoredError(error, true)).toEqual({
      name: "Error",
      message: "gone",
      code: "ECONNRESET",
      stack: error.stack,
      retryable: true,
    });
    expect(toStoredError({ message: "m", code: 404 }, false)).toEqual({
      name: "Error",
      message: "m",
      code: "404",
      retryable: false,
    });
    expect(toStoredError({ message: "m", code: Number.NaN, stack: 5 })).toEqual({ name: "Error", message: "m" });
    expect(toStoredError({ message: "m", code: { a: 1 } })).toEqual({ name: "Error", message: "m" });
  });

  test.each<[string, unknown, string[]]>([
    [
      "a chain",
      withCause(new TypeError("one", { cause: new RangeError("two") })),
      ["TypeError: one", "RangeError: two"],
    ],
    ["causes that are no errors", withCause("text"), ["NonError: text"]],
    ["0 and false", withCause(0), ["NonError: 0 was thrown"]],
    ["null", withCause(null), []],
    ["a circle", circularCause(), ["TypeError: inner"]],
    [
      "itself",
      (() => {
        const error = new Error("me");
        return Object.assign(error, { cause: error });
      })(),
      [],
    ],
    [
      "the parts of an AggregateError",
      new AggregateError([new Error("a"), "b", undefined, new Error("c", { cause: "d" })], "all", { cause: "root" }),
      ["NonError: root", "Error: a", "NonError: b", "Error: c", "NonError: d"],
    ],
    ["errors that is no list", Object.assign(new Error("x"), { errors: "abc" }), []],
    ["errors that can't be read", Object.assign(new Error("x"), { errors: revoked([]) }), []],
    [
      "causes that can't be read",
      withCause(revoked({})),
      ['NonError: not an error but an object: "[not stored: a value that throws when it is read]"'],
    ],
  ])("follows %s", (_name, thrown, causes) => {
    expect((toStoredError(thrown).causes ?? []).map(({ name, message }) => `${name}: ${message}`)).toEqual(causes);
  });

  test("bounds everything", () => {
    let chain: unknown = "end";
    for (let n = 0; n < 10_000; n += 1) chain = new Error("c".repeat(10_000), { cause: chain });
    const huge = Object.assign(new Error("m".repeat(5_000_000), { cause: chain }), {
      name: "n".repeat(100_000),
      code: "k".repeat(100_000),
      stack: "s".repeat(5_000_000),
    });
    const stored = toStoredError(huge);
    expect(stored.name).toHaveLength(ERROR_LIMITS.name);
    expect(stored.message).toHaveLength(ERROR_LIMITS.message);
    expect(stored.message.endsWith("m…")).toBe(true);
    expect(stored.code).toHaveLength(ERROR_LIMITS.code);
    expect(stored.stack).toHaveLength(ERROR_LIMITS.stack);
    expect(stored.causes).toHaveLength(ERROR_LIMITS.causes);
    expect(stored.causes?.[0]?.message).toHaveLength(ERROR_LIMITS.causeMessage);
    const many = new AggregateError(Array.from({ length: 100_000 }, (_, n) => new Error(`e${n}`)));
    expect(toStoredError(many).causes).toHaveLength(ERROR_LIMITS.causes);
    expect(toStoredError(many).message).toBe("100000 errors, the first: e0");
  });

  test("cuts no pair in half", () => {
    const { message } = toStoredError(new Error("🚑".repeat(ERROR_LIMITS.message)));
    expect(message.isWellFormed()).toBe(true);
    expect(message.length).toBeLessThanOrEqual(ERROR_LIMITS.message);
  });

  test("ends on a chain of causes without end", () => {
    const endless = (): object => ({
      message: "again",
      get cause() {
        return endless();
      },
    });
    expect(toStoredError(endless()).causes).toHaveLength(ERROR_LIMITS.causes);
  });

  test("answers for whatever is thrown", () => {
    const field = fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true });
    const errorLike = fc.record(
      { name: field, message: field, code: field, stack: field, cause: field, errors: field },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(field, errorLike), (thrown) => {
        expectStorable(toStoredError(thrown));
      }),
    );
  });
});

function expectStorable(stored: { readonly message: string }): void {
  expect(stored.message.trim()).not.toBe("");
  const text = JSON.stringify(stored);
  expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/);
  expect(text.length).toBeLessThan(60_000);
}
