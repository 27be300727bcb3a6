import { GivewayError } from "./errors.ts";
import { type TaskId, taskId } from "./ids.ts";
import type { Random } from "./random.ts";

export const MAX_ID_LENGTH = 255;

/** Control characters and line separators; an id is shown in one line of a log, a terminal and a page. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Checks an id as a caller or a type's `id` function gives it: 1 to 255 characters, no control characters, no lone surrogates, no blanks at
 * its ends, and not `.` or `..`, which no URL path can carry. Throws `invalid_id`.
 */
export function checkTaskId(value: unknown, field = "id"): TaskId {
  const fault = faultOf(value);
  if (fault !== null) throw new GivewayError("invalid_id", `${field}: ${fault}`, { field });
  return taskId(value as string);
}

function faultOf(value: unknown): string | null {
  if (typeof value !== "string") {
    return `expected text of 1 to ${MAX_ID_LENGTH} characters; got ${value === null ? "null" : typeof value}`;
  }
  if (value.length === 0) return `expected text of 1 to ${MAX_ID_LENGTH} characters; got an empty string`;
  if (value.length > MAX_ID_LENGTH) return `has ${value.length} characters, more than the ${MAX_ID_LENGTH} allowed`;
  if (UNFIT.test(value)) return "contains a control character or line separator";
  if (!value.isWellFormed()) return "contains half of a surrogate pair";
  if (value !== value.trim()) return "begins or ends with a blank";
  if (value === "." || value === "..") return `"${value}" can't be part of a URL path`;
  return null;
}

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** All two-digit combinations: four look-ups write 40 bits. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, n) => `${DIGITS[n >> 5]}${DIGITS[n & 31]}`);
const HALF = 2 ** 40;

/**
 * Makes ids: 26 characters of Crockford base32, 48 bits of ms then 80 random bits, so that they sort by time as text. Within one ms, and
 * while the clock stands behind one already used, the random part counts up instead: every id is greater than the one before. Unique
 * over many generators by their random parts (two that start in the same ms collide with odds of 2^-80). Not for secrets.
 */
export class IdGenerator {
  readonly #random: Random;
  #time = -1;
  #high = 0;
  #low = 0;
  /** The text of time and high half, which rarely change between two ids. */
  #head = "";

  constructor(random: Random) {
    this.#random = random;
  }

  /** A task id for a submit that names none. */
  taskId(now: number): TaskId {
    return taskId(this.#next(now));
  }

  /** A request id: the same form, equal for all attempts of one task (C12). */
  requestId(now: number): string {
    return this.#next(now);
  }

  #next(now: number): string {
    if (now > this.#time) this.#begin(now);
    else if (this.#low < HALF - 1) this.#low += 1;
    else this.#carry();
    return this.#head + digits(this.#low);
  }

  #begin(now: number): void {
    this.#time = now;
    this.#high = this.#draw();
    this.#low = this.#draw();
    this.#write();
  }

  /** The low half is full: count up the high half, or go on in the next ms where that is full too. */
  #carry(): void {
    if (this.#high === HALF - 1) {
      this.#begin(this.#time + 1);
      return;
    }
    this.#high += 1;
    this.#low = 0;
    this.#write();
  }

  #write(): void {
    const time = this.#time;
    this.#head = PAIRS[Math.floor(time / HALF)]! + digits(time % HALF) + digits(this.#high);
  }

  /** 40 bits from two draws, since a generator may give only 32 at once. */
  #draw(): number {
    return Math.floor(this.#random() * 2 ** 20) * 2 ** 20 + Math.floor(this.#random() * 2 ** 20);
  }
}

/** Eight base32 digits of a whole number below 2^40. */
function digits(value: number): string {
  const upper = Math.floor(value / 2 ** 20);
  const lower = value % 2 ** 20;
  return PAIRS[upper >>> 10]! + PAIRS[upper & 1023]! + PAIRS[lower >>> 10]! + PAIRS[lower & 1023]!;
}
