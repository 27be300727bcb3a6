import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tableLines } from "../src/output/table.ts";
import { cut, jsonText, terminalText } from "../src/output/terminal-text.ts";
import { relativeTime } from "../src/output/times.ts";

describe("text from tasks on a terminal (V-45)", () => {
  it("shows control characters instead of obeying them", () => {
    expect(terminalText("a\u001b[31mred\u0007")).toBe("a\\x1b[31mred\\x07");
    expect(terminalText("line\r\nbreak\ttab")).toBe("line\\x0d\\x0abreak\\x09tab");
    expect(terminalText("abc\u202edcb")).toBe("abc\\u202edcb");
    expect(terminalText("\u009b2J")).toBe("\\x9b2J");
  });

  it("leaves everything that people write alone", () => {
    expect(terminalText("Grüße, 東京 🚑 مرحبا")).toBe("Grüße, 東京 🚑 مرحبا");
  });

  it("lets no control character through, whatever comes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        expect(terminalText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it("cuts by characters, not in the middle of one", () => {
    expect(cut("🚑🚑🚑", 2)).toBe("🚑…");
    expect(jsonText({ text: "\u001b]0;title\u0007" })).toBe('{"text":"\\u001b]0;title\\u0007"}');
  });
});

describe("tables", () => {
  const columns = [
    { title: "ID", value: (row: { id: string; n: number }) => row.id, flexible: true },
    { title: "N", value: (row: { id: string; n: number }) => row.n, align: "right" as const },
  ];

  it("aligns columns", () => {
    expect(
      tableLines(
        columns,
        [
          { id: "a", n: 5 },
          { id: "long", n: 10 },
        ],
        80,
      ),
    ).toEqual(["ID     N", "a      5", "long  10"]);
  });

  it("cuts flexible columns to the width, and no further than 8 characters", () => {
    const rows = [{ id: "x".repeat(100), n: 1 }];
    expect(tableLines(columns, rows, 30)[1]).toHaveLength(30);
    expect(tableLines(columns, rows, 1)[1]).toBe("xxxxxxx…  1");
  });
});

describe("relative times", () => {
  const now = Date.parse("2025-01-01T00:00:00Z");
  it.each([
    [null, "–"],
    ["2025-01-01T00:00:00.400Z", "now"],
    ["2025-01-01T00:02:10Z", "in 2m10s"],
    ["2024-12-31T23:59:15Z", "45s ago"],
    ["2024-12-20T00:00:00Z", "12d ago"],
    ["2025-01-03T05:00:00Z", "in 2d5h"],
  ])("%s reads as %s", (iso, text) => {
    expect(relativeTime(iso, now)).toBe(text);
  });
});
