import { type ErrorCode, GivewayError } from "@giveway/kernel";
import type { z } from "zod";
import { isErrorCode } from "./problem.ts";

/**
 * Checks a value against a request's schema and answers it, or throws one coded error for the first thing that is wrong: one line that
 * names the field, what was expected and what came.
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  otherwise: ErrorCode = "invalid_option",
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue === undefined) throw new GivewayError(otherwise, "the request is not valid");
  throw errorOf(issue, value, otherwise);
}

/** Which code a wrong field gets: the same that the kernel's own parser of that field gives. */
const FIELD_CODES: Readonly<Record<string, ErrorCode>> = {
  weight: "invalid_weight",
  delay: "invalid_duration",
  timeout: "invalid_duration",
  delays: "invalid_duration",
  base: "invalid_duration",
  cap: "invalid_duration",
  steps: "invalid_duration",
  runAt: "invalid_date",
  deadline: "invalid_date",
  expires: "invalid_date",
  createdFrom: "invalid_date",
  createdTo: "invalid_date",
  id: "invalid_id",
  ids: "invalid_id",
  cursor: "invalid_cursor",
};

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

function errorOf(issue: Issue, root: unknown, otherwise: ErrorCode): GivewayError {
  if (issue.code === "unrecognized_keys") {
    const field = pathText([...issue.path, issue.keys[0] ?? ""]);
    return new GivewayError(otherwise, `${field}: there is no such field here`, { field });
  }
  const field = pathText(issue.path);
  const where = field === "" ? "the body" : field;
  const given = issue.code === "custom" ? "" : `; got ${shown(valueAt(root, issue.path))}`;
  return new GivewayError(
    codeOf(issue, otherwise),
    `${where}: ${wordsOf(issue)}${given}`,
    field === "" ? {} : { field },
  );
}

function codeOf(issue: Issue, otherwise: ErrorCode): ErrorCode {
  const own = issue.code === "custom" ? issue.params?.["code"] : undefined;
  if (isErrorCode(own)) return own;
  for (const key of issue.path.toReversed()) {
    if (typeof key === "string" && Object.hasOwn(FIELD_CODES, key)) return FIELD_CODES[key]!;
  }
  return otherwise;
}

/** A schema's own words, where it has some, say more than what follows from the kind of issue. */
function wordsOf(issue: Issue): string {
  if (issue.message.startsWith("expected ")) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `expected ${nameOf(issue.expected)}`;
    case "too_small":
      return `expected ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `expected ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_value":
      return `expected ${issue.values.map(String).join(", ")}`;
    default:
      return issue.message;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  int: "a whole number",
  record: "an object",
  boolean: "true or false",
};
const nameOf = (expected: string): string =>
  NAMES[expected] ?? (/^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`);
const UNITS: Readonly<Record<string, string>> = { array: " items", string: " characters" };
const unitOf = (origin: string): string => UNITS[origin] ?? "";

function pathText(path: Path): string {
  let out = "";
  for (const key of path) {
    if (typeof key === "number") out += `[${key}]`;
    else out += out === "" ? String(key) : `.${String(key)}`;
  }
  return out;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const SHOWN = 60;
function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
