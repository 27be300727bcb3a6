import type { JsonText } from "../task.ts";

/**
 * JSON text with all keys sorted (by UTF-16 units) and no blanks: equal exactly for equal values, whoever wrote them. Only for text that
 * came from `encodeJson` or the ledger; anything else may throw a SyntaxError.
 */
export function canonicalJson(text: JsonText): string {
  return write(JSON.parse(text));
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = value as Record<string, unknown>;
  const members = Object.keys(fields)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(fields[key])}`);
  return `{${members.join(",")}}`;
}
