import { GivewayError, isRetryable, RetryAfterError, type RetryRule, retryAfterOf } from "@giveway/kernel";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../models/refusal.ts";

const withFields = (fields: object, message = "failed") => Object.assign(new Error(message), fields);

describe("isRetryable (A10)", () => {
  test.each<[string, unknown, boolean]>([
    ["an unknown Error", new Error("odd"), true],
    ["text", "odd", true],
    ["undefined", undefined, true],
    ["null", null, true],
    ["an unknown code", withFields({ code: "E_ODD" }), true],
    ...["ETIMEDOUT", "ECONNRESET", "ECONNREFUSED", "EPIPE", "EAI_AGAIN", "UND_ERR_SOCKET", "SQLITE_BUSY"].map(
      (code): [string, unknown, boolean] => [code, Object.assign(new TypeError("x"), { code }), true],
    ),
    ...[408, 425, 429, 500, 502, 503, 504, 507].map((status): [string, unknown, boolean] => [
      `status ${status}`,
      withFields({ status }),
      true,
    ]),
    ...[400, 401, 403, 404, 409, 410, 413, 422, 501, 505, 511].map((status): [string, unknown, boolean] => [
      `status ${status}`,
      withFields({ status }),
      false,
    ]),
    ["statusCode", withFields({ statusCode: 404 }), false],
    ["a response's status", withFields({ response: { status: 422 } }), false],
    ["a status that is none", withFields({ status: 200 }), true],
    ["a status that is text", withFields({ status: "404" }), true],
    ["TypeError", new TypeError("x is not a function"), false],
    ["RangeError", new RangeError("x"), false],
    ["SyntaxError", new SyntaxError("x"), false],
    ["ReferenceError", new ReferenceError("x"), false],
    ["a TypeError of another realm", { name: "TypeError", message: "x" }, false],
    ["fetch's lost connection", new TypeError("fetch failed", { cause: withFields({ code: "ECONNREFUSED" }) }), true],
    [
      "fetch's lost connection without a code",
      new TypeError("fetch failed", { cause: new Error("other side closed") }),
      true,
    ],
    ["a cut-off answer", new TypeError("terminated"), true],
    [
      "a wrapped status",
      new Error("charge failed", { cause: new Error("http", { cause: withFields({ status: 402 }) }) }),
      false,
    ],
    ["a wrapped TypeError", new Error("step 3", { cause: new TypeError("x") }), true],
    ["a coded error of ours", new GivewayError("invalid_payload", "payload: no"), false],
    ["a time-out of ours", new GivewayError("timed_out", "time is up"), true],
    ["retryable: false over a retryable code", withFields({ retryable: false, code: "ETIMEDOUT" }), false],
    ["retryable: true over a TypeError", Object.assign(new TypeError("x"), { retryable: true }), true],
    ["retryable that is no boolean", Object.assign(new TypeError("x"), { retryable: "yes" }), false],
    [
      "a cause that leads in a circle",
      (() => {
        const error = new Error("x");
        return Object.assign(error, { cause: error });
      })(),
      true,
    ],
    [
      "a property that throws",
      {
        get retryable(): boolean {
          throw new Error("x");
        },
        name: "RangeError",
      },
      false,
    ],
  ])("says of %s by itself", (_name, error, answer) => {
    expect(isRetryable(error, null)).toBe(answer);
  });

  test("asks the error, then the type's rule, then the table", () => {
    const no: RetryRule = () => false;
    const yes: RetryRule = () => true;
    const none: RetryRule = () => undefined;
    expect(isRetryable(withFields({ retryable: true }), no)).toBe(true);
    expect(isRetryable(withFields({ retryable: false }), yes)).toBe(false);
    expect(isRetryable(withFields({ code: "ETIMEDOUT" }), no)).toBe(false);
    expect(isRetryable(new TypeError("x"), yes)).toBe(true);
    expect(isRetryable(new TypeError("x"), none)).toBe(false);
    expect(isRetryable(new Error("x"), none)).toBe(true);
  });

  test("a rule that throws or answers no boolean has no opinion", () => {
    const broken: RetryRule = () => {
      throw new Error("rule");
    };
    const odd = (() => "no") as unknown as RetryRule;
    expect(isRetryable(new TypeError("x"), broken)).toBe(false);
    expect(isRetryable(new Error("x"), broken)).toBe(true);
    expect(isRetryable(new TypeError("x"), odd)).toBe(false);
  });
});

describe("retryAfterOf", () => {
  const now = Date.UTC(2026, 2, 1, 9);
  const headers = (value: unknown) => withFields({ headers: { "Retry-After": value } });

  test.each<[string, unknown, number | null]>([
    ["an error without a word", new Error("x"), null],
    ["text", "x", null],
    ["undefined", undefined, null],
    ["ms", new RetryAfterError(1_500), 1_500],
    ["a duration", new RetryAfterError("30s"), 30_000],
    ["30 days, of a handler's own", new RetryAfterError("30d"), 2_592_000_000],
    ["a Date ahead", new RetryAfterError(new Date(now + 5_000)), 5_000],
    ["a Date past", new RetryAfterError(new Date(now - 5_000)), 0],
    ["a coded error's retryAfter", new GivewayError("ledger_busy", "busy", { retryAfter: 250 }), 250],
    ["a coded error without", new GivewayError("ledger_busy", "busy"), null],
    ["seconds in a header", headers("120"), 120_000],
    ["seconds as a number", headers(3), 3_000],
    ["0 seconds", headers("0"), 0],
    ["blanks around", headers(" 7 "), 7_000],
    ["a list of headers", headers(["4", "9"]), 4_000],
    ["another case of the key", withFields({ headers: { "retry-after": "1" } }), 1_000],
    ["a response's headers", withFields({ response: { headers: { "RETRY-AFTER": "2" } } }), 2_000],
    ["Headers", withFields({ response: { headers: new Headers({ "Retry-After": "5" }) } }), 5_000],
    ["Headers without it", withFields({ headers: new Headers() }), null],
    ["an HTTP date", headers("Sun, 01 Mar 2026 09:00:45 GMT"), 45_000],
    ["an HTTP date past", headers("Sun, 01 Mar 2026 08:00:00 GMT"), 0],
    ["a server that says ten years", headers("315360000"), 86_400_000],
    ["a date far ahead", headers("Fri, 01 Mar 2126 09:00:00 GMT"), 86_400_000],
    ["a date without zone", headers("Sun, 01 Mar 2026 09:00:45"), null],
    ["no month", headers("Sun, 01 Foo 2026 09:00:45 GMT"), null],
    ["nonsense", headers("soon"), null],
    ["a negative number", headers("-5"), null],
    ["an empty header", headers(""), null],
    [
      "headers that throw",
      withFields({
        headers: {
          get: () => {
            throw new Error("x");
          },
        },
      }),
      null,
    ],
    ["headers that are text", withFields({ headers: "Retry-After: 5" }), null],
    ["retryAfter of a stranger, of unknown unit", withFields({ retryAfter: 5 }), null],
    ["retryAt that is no number", withFields({ retryAt: "soon" }), null],
  ])("reads %s", (_name, error, wait) => {
    expect(retryAfterOf(error, now)).toBe(wait);
  });

  test("RetryAfterError says when, is retryable, keeps its cause, and refuses nonsense", () => {
    const cause = new Error("429");
    const error = new RetryAfterError("90s", undefined, { cause });
    expect(error).toMatchObject({
      code: "retry_after",
      name: "RetryAfterError",
      retryable: true,
      message: "try again in 1m30s",
      cause,
    });
    expect(new RetryAfterError(new Date(0)).message).toBe("try again at 1970-01-01T00:00:00.000Z");
    expect(new RetryAfterError(5, "slow down").message).toBe("slow down");
    expect(isRetryable(error, () => false)).toBe(true);
    expect(refusalOf(() => new RetryAfterError("soon")).code).toBe("invalid_duration");
    expect(refusalOf(() => new RetryAfterError(new Date(Number.NaN))).code).toBe("invalid_date");
  });
});
