import type { Clock, LogLine } from "@giveway/kernel";
import type { HandlerLog, Logger } from "../api.ts";

/** Lines kept with one attempt; what comes after the last is counted in it. */
export const MAX_LINES = 100;
/** Characters kept of one line. */
export const MAX_LINE = 1_000;

/**
 * What a handler writes through `ctx.log`: kept with its attempt within bounds, and passed on to the log as it is. Made at the first use,
 * for most handlers write nothing.
 */
export class AttemptLog implements HandlerLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #facts: object;
  readonly #lines: LogLine[] = [];
  #left = 0;

  constructor(clock: Clock, logger: Logger, facts: object) {
    this.#clock = clock;
    this.#logger = logger;
    this.#facts = facts;
  }

  readonly debug = (text: string, fields?: Record<string, unknown>): void => this.#write("debug", text, fields);
  readonly info = (text: string, fields?: Record<string, unknown>): void => this.#write("info", text, fields);
  readonly warn = (text: string, fields?: Record<string, unknown>): void => this.#write("warn", text, fields);
  readonly error = (text: string, fields?: Record<string, unknown>): void => this.#write("error", text, fields);

  /** The lines as they are kept; past the bound the last one says how many were left out. */
  lines(): readonly LogLine[] {
    const last = this.#lines.at(-1);
    if (this.#left === 0 || last === undefined) return this.#lines;
    const note = { at: last.at, level: "warn", text: `${this.#left + 1} further lines were not kept` } as const;
    return [...this.#lines.slice(0, -1), note];
  }

  #write(level: LogLine["level"], text: string, fields: Record<string, unknown> | undefined): void {
    const said = String(text);
    if (this.#lines.length < MAX_LINES)
      this.#lines.push({ at: this.#clock.now(), level, text: storable(said, fields) });
    else this.#left += 1;
    this.#logger[level]({ ...fields, ...this.#facts }, said);
  }
}

function storable(text: string, fields: Record<string, unknown> | undefined): string {
  const whole = fields === undefined ? text : `${text} ${shown(fields)}`;
  const cut = whole.length > MAX_LINE ? `${whole.slice(0, MAX_LINE - 1)}…` : whole;
  return cut.replaceAll("\0", "\ufffd").toWellFormed();
}

function shown(fields: Record<string, unknown>): string {
  try {
    return JSON.stringify(fields) ?? "";
  } catch {
    return "(fields that JSON can't hold)";
  }
}
