import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check, readQuery, writeQuery } from "../src/index.ts";
import { splitWords } from "../src/query.ts";
import { findQuery } from "../src/schemas/find.ts";

/** As the server's router parses it. */
function parse(query: string): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const known = out[name];
    if (known === undefined) out[name] = value;
    else out[name] = [...(Array.isArray(known) ? known : [known]), value];
  }
  return out;
}

describe("query strings", () => {
  it.each([
    ["state=waiting", { state: ["waiting"] }],
    ["state=waiting,dead", { state: ["waiting", "dead"] }],
    ["state=waiting&state=dead", { state: ["waiting", "dead"] }],
    ["state=waiting,running&state=dead", { state: ["waiting", "running", "dead"] }],
    ["state=", {}],
    ["weight=7,high&weight=2", { weight: [7, "high", 2] }],
    ["limit=20&cursor=abc", { limit: 20, cursor: "abc" }],
    ["limit=1e2", { limit: "1e2" }],
    ["limit=1&limit=2", { limit: ["1", "2"] }],
    [
      "createdFrom=1700000000000&createdTo=2030-01-01T00:00:00Z",
      { createdFrom: 1700000000000, createdTo: "2030-01-01T00:00:00Z" },
    ],
    ["text=a,b&tag=a\\,b,c", { text: "a,b", tag: ["a,b", "c"] }],
    ["text=42", { text: "42" }],
    ["stat=dead", { stat: "dead" }],
    ["constructor=x", { constructor: "x" }],
  ])("%s", (query, value) => {
    expect(readQuery(parse(query))).toEqual(value);
  });

  it("splits only at commas of its own", () => {
    expect(splitWords("a\\\\,b")).toEqual(["a\\", "b"]);
    expect(splitWords("a\\b,,c,")).toEqual(["a\\b", "c"]);
  });

  it("writes what it reads", () => {
    const word = fc.string({ minLength: 1, unit: "grapheme" });
    const value = fc.record(
      {
        state: fc.uniqueArray(fc.constantFrom("waiting" as const, "dead" as const, "failed" as const), {
          minLength: 1,
        }),
        type: fc.array(word, { minLength: 1, maxLength: 4 }),
        tag: fc.array(word, { minLength: 1, maxLength: 4 }),
        weight: fc.array(
          fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constantFrom("low" as const, "critical" as const)),
          {
            minLength: 1,
          },
        ),
        text: word,
        createdFrom: fc.integer({ min: 0, max: 4e12 }),
        limit: fc.integer({ min: 1, max: 1000 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(value, (query) => {
        expect(check(findQuery, readQuery(parse(writeQuery(query).slice(1))))).toEqual(query);
      }),
    );
  });
});
