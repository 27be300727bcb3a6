import { GivewayError } from "./errors.ts";

/** The longest duration taken anywhere: 100 years of 365.25 days, in ms. Far below what a double counts exactly. */
export const MAX_DURATION = 3_155_760_000_000;

/** Units from long to short: the order in which a joined duration writes them. */
const UNITS = [
  ["w", 604_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** Each unit at most once and from long to short; so `1h30m` reads, while `30m1h` and `1h1h` are typing errors. */
const JOINED = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/**
 * Reads a duration as a person writes it: a whole number of ms, or text such as `250ms`, `5s`, `15m`, `2h`, `7d`, `1w`, joined from long to
 * short: `1h30m`. From 0 to 100 years. Answers whole ms. Throws `invalid_duration` with one line that names the field.
 */
export function parseDuration(value: unknown, field = "duration"): number {
  const ms = typeof value === "number" ? value : typeof value === "string" ? readJoined(value) : null;
  if (ms === null || !Number.isInteger(ms) || ms < 0) {
    throw new GivewayError(
      "invalid_duration",
      `${field}: expected whole ms or text such as 250ms, 5s, 15m, 2h, 7d, 1w or 1h30m; got ${shown(value)}`,
      { field },
    );
  }
  if (ms > MAX_DURATION) {
    throw new GivewayError("invalid_duration", `${field}: ${shown(value)} is longer than 100 years`, { field });
  }
  return ms === 0 ? 0 : ms;
}

function readJoined(text: string): number | null {
  // The length bound keeps a hostile megabyte of digits out of the number parser.
  const match = text.length > 0 && text.length <= 100 ? JOINED.exec(text) : null;
  if (match === null) return null;
  let total = 0;
  for (const [index, [, size]] of UNITS.entries()) {
    const digits = match[index + 1];
    if (digits !== undefined) total += Number(digits) * size;
  }
  // Beyond the exact integers the sum is only known to be too long.
  return Number.isSafeInteger(total) ? total : Number.MAX_SAFE_INTEGER;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === "number" ? String(value) : value === null ? "null" : typeof value;
}

/** Writes whole ms the way `parseDuration` reads them, longest unit days: `1h30m`, `7d`, `0ms`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  if (rest === 0) return "0ms";
  let text = "";
  for (const [unit, size] of UNITS) {
    if (unit === "w") continue;
    const count = Math.floor(rest / size);
    if (count === 0) continue;
    text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}
