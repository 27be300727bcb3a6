import type { Logger } from "../../src/index.ts";

export interface LogLineSeen {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A logger that keeps what it was told. */
export function keepingLogger(): Logger & { readonly seen: LogLineSeen[] } {
  const seen: LogLineSeen[] = [];
  const keep =
    (level: LogLineSeen["level"]) =>
    (fields: object, text: string): void => {
      seen.push({ level, fields: fields as Record<string, unknown>, text });
    };
  return { seen, debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}
