import { type ErrorCode, GivewayError } from "@giveway/kernel";
import { didYouMean } from "./near-match.ts";

/** How a value is shown in an error: short, never a whole payload, never a control character. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : typeof value;
}

/**
 * Reads options of one kind. Each check throws `code` with one line that begins with the path of the option, and carries it as `field`.
 * Absent and undefined are the same: the default.
 */
export class Checks {
  readonly #code: ErrorCode;

  constructor(code: ErrorCode) {
    this.#code = code;
  }

  fail(path: string, fault: string): never {
    throw new GivewayError(this.#code, `${path}: ${fault}`, { field: path });
  }

  /** The value as an object whose keys are all known. */
  object(value: unknown, known: readonly string[], path: string): Readonly<Record<string, unknown>> {
    const fields = this.anyObject(value, path);
    const unknown = Object.keys(fields).find((key) => !known.includes(key));
    if (unknown !== undefined) {
      const at = path === "" || path === "options" ? unknown : `${path}.${unknown}`;
      this.fail(
        at,
        `is not a known option${didYouMean(unknown, known)}${known.length > 0 ? ` (known: ${known.join(", ")})` : ""}`,
      );
    }
    return fields;
  }

  anyObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.fail(path, `expected an object; got ${shown(value)}`);
    }
    return value as Readonly<Record<string, unknown>>;
  }

  list(value: unknown, path: string): readonly unknown[] {
    if (!Array.isArray(value)) this.fail(path, `expected a list; got ${shown(value)}`);
    return value;
  }

  whole(value: unknown, path: string, from: number, to: number): number {
    if (typeof value !== "number" || !Number.isInteger(value) || value < from || value > to) {
      this.fail(path, `expected a whole number from ${from} to ${to}; got ${shown(value)}`);
    }
    return value;
  }

  number(value: unknown, path: string, from: number, to: number): number {
    if (typeof value !== "number" || !(value >= from && value <= to)) {
      this.fail(path, `expected a number from ${from} to ${to}; got ${shown(value)}`);
    }
    return value;
  }

  flag(value: unknown, path: string): boolean {
    if (typeof value !== "boolean") this.fail(path, `expected true or false; got ${shown(value)}`);
    return value;
  }

  oneOf<Choice extends string>(value: unknown, choices: readonly Choice[], path: string): Choice {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) {
      const hint = typeof value === "string" ? didYouMean(value, choices) : "";
      this.fail(path, `expected one of ${choices.join(", ")}; got ${shown(value)}${hint}`);
    }
    return choice;
  }

  /** Text for people in one line: not empty, no control characters, storable on every ledger. */
  text(value: unknown, path: string, max: number): string {
    if (typeof value !== "string" || value.length === 0) {
      this.fail(
        path,
        `expected text of 1 to ${max} characters; got ${value === "" ? "an empty string" : shown(value)}`,
      );
    }
    if (value.length > max) this.fail(path, `has ${value.length} characters, more than the ${max} allowed`);
    if (UNFIT.test(value) || !value.isWellFormed()) {
      this.fail(path, "contains a control character, a line separator or half of a surrogate pair");
    }
    return value;
  }

  /** A name by which queues, types and tags are looked up: `text` without blanks at its ends. */
  name(value: unknown, path: string, max: number): string {
    const text = this.text(value, path, max);
    if (text !== text.trim()) this.fail(path, "begins or ends with a blank");
    return text;
  }

  callable(value: unknown, path: string): (...given: never[]) => unknown {
    if (typeof value !== "function") this.fail(path, `expected a function; got ${shown(value)}`);
    return value as (...given: never[]) => unknown;
  }

  /** Runs one of the kernel's readers and gives its error this kind's code. */
  read<Value>(reader: () => Value): Value {
    try {
      return reader();
    } catch (error) {
      if (!(error instanceof GivewayError) || error.code === this.#code) throw error;
      throw new GivewayError(this.#code, error.message, error.field === undefined ? {} : { field: error.field });
    }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export const MAX_NAME = 200;
