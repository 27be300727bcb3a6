import type { Logger } from "@giveway/engine";
import { GivewayError } from "@giveway/kernel";
import { pino } from "pino";

const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LEVELS)[number];

/** A logger of your own (pino's shape: object first), a level for the built-in one, or false for silence. */
export type LoggerOption = Logger | LogLevel | false;

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false };

/** The logger that an option names. By default JSON lines on stdout at `info`, or at the level in `GIVEWAY_LOG_LEVEL`. */
export function loggerFrom(option: LoggerOption | undefined): Logger {
  if (option === false || option === "silent") return SILENT;
  if (option === undefined) return loggerFrom(levelFromEnvironment());
  if (typeof option === "string") return pino({ level: checkedLevel(option, "logger") });
  return option;
}

function levelFromEnvironment(): LogLevel {
  const named = process.env["GIVEWAY_LOG_LEVEL"];
  return named === undefined || named === "" ? "info" : checkedLevel(named, "GIVEWAY_LOG_LEVEL");
}

function checkedLevel(value: string, field: string): LogLevel {
  const level = LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  throw new GivewayError(
    "invalid_config",
    `${field}: expected one of ${LEVELS.join(", ")}; got ${JSON.stringify(value)}`,
    { field },
  );
}
