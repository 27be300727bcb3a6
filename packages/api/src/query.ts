/**
 * How a query string becomes the value that a query schema checks. Several values of one parameter are written by repeating it, or with
 * commas between them, or both; a comma that belongs to a value is written `\,` and a backslash `\\`. Empty parameters count as absent.
 * All of it is data keyed by the parameter's name, so that server and client read and write the same.
 */
type Reading = "text" | "words" | "weights" | "whole" | "date";

const READINGS: Readonly<Record<string, Reading>> = {
  state: "words",
  type: "words",
  queue: "words",
  tag: "words",
  weight: "weights",
  createdFrom: "date",
  createdTo: "date",
  limit: "whole",
  recent: "whole",
};

const WHOLE = /^\d{1,16}$/;
const numberOr = (value: string): number | string => (WHOLE.test(value) ? Number(value) : value);

export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parameters that the schema does not know are passed on, for it to name them. A single-valued one given twice stays a list. */
export function readQuery(raw: RawQuery): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, given] of Object.entries(raw)) {
    const values = (typeof given === "string" ? [given] : (given ?? [])).filter((value) => value !== "");
    if (values.length > 0) query[name] = readParameter(name, values);
  }
  return query;
}

function readParameter(name: string, values: readonly string[]): unknown {
  const reading = Object.hasOwn(READINGS, name) ? READINGS[name]! : "text";
  switch (reading) {
    case "words":
      return values.flatMap(splitWords);
    case "weights":
      return values.flatMap(splitWords).map(numberOr);
    case "whole":
    case "date":
      return values.length === 1 ? numberOr(values[0]!) : values;
    case "text":
      return values.length === 1 ? values[0] : values;
  }
}

/** `a,b\,c` → `a` and `b,c`. */
export function splitWords(value: string): string[] {
  const words: string[] = [];
  let word = "";
  for (let at = 0; at < value.length; at += 1) {
    const char = value[at]!;
    if (char === "\\" && (value[at + 1] === "," || value[at + 1] === "\\")) {
      at += 1;
      word += value[at];
    } else if (char === ",") {
      words.push(word);
      word = "";
    } else {
      word += char;
    }
  }
  words.push(word);
  return words.filter((one) => one !== "");
}

/** The query string for a value; empty where nothing is set, else with its question mark. */
export function writeQuery(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    const isList = READINGS[name] === "words" || READINGS[name] === "weights";
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) search.append(name, isList ? escapeWord(String(one)) : wordOf(one));
  }
  return search.size === 0 ? "" : `?${search}`;
}

const wordOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));
const escapeWord = (word: string): string => word.replace(/[\\,]/g, "\\$&");
