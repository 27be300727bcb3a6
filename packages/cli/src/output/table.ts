import { cut, terminalText } from "./terminal-text.ts";

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null;
  readonly align?: "left" | "right";
  /** May be cut to fit the terminal, down to 8 characters. */
  readonly flexible?: boolean;
}

const GAP = "  ";
const NARROWEST = 8;

/** A table as lines: aligned columns, flexible ones cut until it fits `width`. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(column.value(row))));
  const widths = fitted(
    columns.map((column, index) => Math.max(column.title.length, ...cells.map((row) => lengthOf(row[index] ?? "")))),
    columns,
    width,
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.align ?? "left"))
      .join(GAP)
      .trimEnd();
  return [line(columns.map((column) => column.title)), ...cells.map(line)];
}

function cellText(value: string | number | null): string {
  return value === null ? "–" : terminalText(String(value));
}

function lengthOf(text: string): number {
  return [...text].length;
}

function fitted<Row>(wanted: readonly number[], columns: readonly Column<Row>[], width: number): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1) - width;
  while (excess > 0) {
    const widest = widestFlexible(widths, columns);
    if (widest === null) break;
    const present = widths[widest] ?? 0;
    const less = Math.min(excess, present - NARROWEST);
    widths[widest] = present - less;
    excess -= less;
  }
  return widths;
}

function widestFlexible<Row>(widths: readonly number[], columns: readonly Column<Row>[]): number | null {
  let widest: number | null = null;
  for (const [index, width] of widths.entries()) {
    if (columns[index]?.flexible !== true || width <= NARROWEST) continue;
    if (widest === null || width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}

function pad(text: string, width: number, align: "left" | "right"): string {
  const shown = cut(text, width);
  const blanks = " ".repeat(Math.max(0, width - lengthOf(shown)));
  return align === "left" ? shown + blanks : blanks + shown;
}
