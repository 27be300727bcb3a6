import { GivewayError } from "./errors.ts";

/** The last instant taken anywhere: the end of the year 9999. */
export const MAX_INSTANT = 253_402_300_799_999;

const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads an instant: a `Date`, an ISO 8601 string with its zone (`2026-03-01T09:00:00Z`, `…+02:00`), or whole ms since 1970. Answers whole
 * ms since 1970 UTC, between 1970 and 9999; digits below a ms are cut off. A string without zone is refused, because it would mean another
 * instant on another machine (V-16). Throws `invalid_date` with one line that names the field.
 */
export function parseInstant(value: unknown, field = "date"): number {
  const ms = typeof value === "number" ? value : typeof value === "string" ? readIso(value) : readDate(value);
  if (ms === null || !Number.isInteger(ms)) {
    throw new GivewayError(
      "invalid_date",
      `${field}: expected a Date, an ISO 8601 string with zone such as 2026-03-01T09:00:00Z, or whole ms since 1970; got ${shown(value)}`,
      { field },
    );
  }
  if (ms < 0 || ms > MAX_INSTANT) {
    throw new GivewayError("invalid_date", `${field}: ${shown(value)} lies outside the years 1970 to 9999`, { field });
  }
  return ms === 0 ? 0 : ms;
}

function readDate(value: unknown): number | null {
  // Not `instanceof`: a Date made in another realm (vm, test runner) is as good.
  if (typeof value !== "object" || value === null) return null;
  try {
    return Date.prototype.getTime.call(value);
  } catch {
    return null;
  }
}

function readIso(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((group) => Number(match[group] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const offset = readOffset(match[8] ?? "");
  if (offset === null) return null;
  const ms = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  // setUTCFullYear instead of Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, ms);
  return date.getTime() - offset * 60_000;
}

/** Minutes east of UTC. Real zones lie between -12:00 and +14:00; anything further is a typing error. */
function readOffset(text: string): number | null {
  if (text === "Z") return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4, 6));
  if (hours > 14 || minutes > 59) return null;
  return (text[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "number") return String(value);
  if (value === null) return "null";
  return readDate(value) === null ? typeof value : "an invalid Date";
}

/** The UTC ISO string of an instant, as every face shows it. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
