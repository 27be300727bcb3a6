import { readFileSync } from "node:fs";
import {
  ATTEMPT_OUTCOMES,
  ERROR_CODES,
  encodeJson,
  encodeResult,
  GivewayError,
  RETRY_USING_OUTCOMES,
  STORED_STATES,
  statusOf,
  type TaskEvent,
  TRANSITIONS,
  toStoredError,
  VIEW_STATES,
  WHY_CODES,
} from "@giveway/kernel";
import { describe, expect, test } from "vitest";

const page = (path: string) => readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), "utf8");

/** The cells of every table row of a page, without heads and rulers. */
function rowsOf(text: string): string[][] {
  return text
    .split("\n")
    .filter(
      (line, index, lines) =>
        line.startsWith("| ") && !lines[index + 1]?.startsWith("| ---") && !line.startsWith("| ---"),
    )
    .map((line) =>
      line
        .slice(2, line.lastIndexOf("|"))
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

const bare = (cell: string | undefined) => (cell ?? "").replaceAll("`", "");

describe("docs/reference/errors.md", () => {
  const rows = rowsOf(page("reference/errors.md"));

  test("lists every code once, and no other", () => {
    expect(rows.map(([code]) => bare(code)).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test.each(Object.entries(ERROR_CODES))("%s: status, retryable, meaning and advice", (code, { status, retryable }) => {
    const [, shownStatus, again, meaning, advice] = rows.find(([cell]) => bare(cell) === code) ?? [];
    expect(Number(shownStatus)).toBe(status);
    expect(again).toBe(retryable ? "yes" : "no");
    expect(meaning).toMatch(/\.$/);
    expect(advice).toMatch(/\.$/);
    const error = new GivewayError(code as keyof typeof ERROR_CODES, "it happened");
    expect([error.code, error.retryable, statusOf(error.code), error.name]).toEqual([
      code,
      retryable,
      status,
      "GivewayError",
    ]);
  });
});

describe("docs/reference/why.md", () => {
  const text = page("reference/why.md");
  const [reference = "", troubles = ""] = text.split("## Troubles");
  const codes = rowsOf(reference).map(([code]) => bare(code));

  test("lists every reason code once, and no other", () => {
    expect(codes.sort()).toEqual(Object.keys(WHY_CODES).sort());
  });

  test("names only real codes where it answers the troubles", () => {
    const rows = rowsOf(troubles);
    expect(rows).toHaveLength(11);
    for (const [trouble, answers = ""] of rows) {
      const named = [...answers.matchAll(/`([a-z_]+)`/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => name in WHY_CODES);
      expect(named.length, trouble).toBeGreaterThan(0);
      const others = [...answers.matchAll(/`([a-z_]+)`/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => !(name in WHY_CODES));
      for (const other of others) expect(other in ERROR_CODES).toBe(true);
    }
  });
});

describe("docs/internals/life-of-a-task.md", () => {
  const text = page("internals/life-of-a-task.md");
  const rows = rowsOf(text);
  const moves = STORED_STATES.flatMap((state) =>
    Object.entries(TRANSITIONS[state]).map(([event, to]) => [state, event, to]),
  );

  test("its table is the transition table", () => {
    const table = rows.filter(([from]) => STORED_STATES.some((state) => state === from));
    expect(table.sort()).toEqual(moves.sort());
  });

  test("its picture shows every move between states, and no other", () => {
    const arrows = [...text.matchAll(/^ {4}(\w+|\[\*\]) --> (\w+|\[\*\]): (.+)$/gm)].filter(
      ([, from]) => from !== "[*]",
    );
    const drawn = arrows.flatMap(([, from, to, events = ""]) =>
      events.split(", ").map((event) => [from, event, to === "[*]" ? "removed" : to]),
    );
    expect(drawn.sort()).toEqual(moves.filter(([from, , to]) => from !== to).sort());
  });

  test("its table of views names them all", () => {
    const shown = text.split("## Views")[1]?.split("## ")[0] ?? "";
    const names = rowsOf(shown).flatMap(([cell = ""]) => cell.split(", ").map(bare));
    expect(names.sort()).toEqual([...VIEW_STATES].sort());
  });

  test("its table of ends names all outcomes and who uses a retry", () => {
    const shown = text.split("## What ends an attempt")[1]?.split("## ")[0] ?? "";
    const ends = rowsOf(shown);
    expect(ends.map(([cell]) => bare(cell)).sort()).toEqual([...ATTEMPT_OUTCOMES].sort());
    for (const outcome of ATTEMPT_OUTCOMES) {
      const uses = ends.find(([cell]) => bare(cell) === outcome)?.[3];
      expect(uses === "yes").toBe(RETRY_USING_OUTCOMES.has(outcome));
    }
  });

  test("its table of changes says where each is allowed", () => {
    const shown = text.split("## What people and programs change")[1]?.split("## ")[0] ?? "";
    for (const [event = "", where = ""] of rowsOf(shown)) {
      const states = STORED_STATES.filter((state) => TRANSITIONS[state][event as TaskEvent] !== undefined);
      const said =
        where === "all but running"
          ? STORED_STATES.filter((state) => state !== "running")
          : where.replace(", never started", "").split(", ");
      expect([...said].sort(), event).toEqual([...states].sort());
    }
  });
});

describe("docs/reference/values.md", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  let deep: unknown = 1;
  for (let level = 0; level < 501; level += 1) deep = [deep];

  /** A value for every row of the table; compared with what the row promises. */
  const samples: Record<string, unknown> = {
    "`null`, `true`, `false`": [null, true, false],
    "text, with emoji, right-to-left text, control characters": "🚑 שלום \n\u0001",
    "text or a key with a NUL character": "a\0b",
    "text or a key with half of a surrogate pair": "a\ud800b",
    "the key `__proto__`": JSON.parse('{"__proto__":1}'),
    "a finite number": 1.5,
    "`-0`": -0,
    "`NaN`, `Infinity`, `-Infinity`": Number.NaN,
    "a BigInt": 10n,
    "a function, a symbol": () => 1,
    "`undefined` as a field": { a: undefined },
    "`undefined` or a hole in a list": [undefined],
    "`undefined` as the whole": undefined,
    "a plain object, also one without prototype": { a: 1 },
    "an instance of a class": new (class {
      readonly a = 1;
    })(),
    "an object with `toJSON`": { toJSON: () => 1 },
    "a Date": new Date(0),
    "an invalid Date": new Date(Number.NaN),
    "a boxed text, number or boolean": new String("s"),
    "a Map, Set, Error, RegExp, Promise or other built-in": new Map(),
    "a Buffer, typed array or ArrayBuffer": Buffer.from("a"),
    "an object that holds itself": circle,
    "a getter or `toJSON` that throws": {
      toJSON: () => {
        throw new Error("x");
      },
    },
    "nesting beyond 500 levels": deep,
    "more bytes of JSON than the limit": "x".repeat(300_000),
  };
  const rows = rowsOf(page("reference/values.md").split("## When")[0] ?? "");

  test("has a sample for every row", () => {
    expect(rows.map(([kind]) => kind).sort()).toEqual(Object.keys(samples).sort());
  });

  test.each(rows)("%s", (kind = "", payload = "", result = "") => {
    const value = samples[kind];
    // Whole payloads are made null before they come here; the row's second half speaks of progress.
    const refused = payload.includes("refused");
    let code = "stored";
    try {
      encodeJson(value, { field: "payload", maxBytes: 262_144 });
    } catch (error) {
      code = error instanceof GivewayError ? error.code : "another error";
    }
    expect(code).toBe(
      refused ? (payload.includes("payload_too_large") ? "payload_too_large" : "unstorable_value") : "stored",
    );
    const { text, note } = encodeResult(value, 262_144);
    const shown = bare(result).replace("(…)", "(it refers back to result)");
    if (result === "`null`") expect(text).toMatch(/^\[?null\]?$/);
    else if (shown.startsWith('"[')) expect(text).toContain(shown);
    else expect(note === null).toBe(!refused);
  });
});

test("docs/reference/values.md shows errors as they are recorded", () => {
  const rows = rowsOf(page("reference/values.md").split("## What is kept of an error")[1] ?? "");
  const examples: [unknown, string][] = [
    [new RangeError(), "RangeError without a message"],
    [new AggregateError([1, 2, 3].map(() => new Error("…"))), "3 errors, the first: …"],
    [null, "null was thrown"],
    [{ a: 1 }, 'not an error but an object: {"a":1}'],
  ];
  for (const [thrown, message] of examples) {
    expect(toStoredError(thrown).message).toBe(message);
    expect(
      rows.some((row) => row.some((cell) => bare(cell) === message)),
      message,
    ).toBe(true);
  }
});
