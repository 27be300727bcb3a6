import type { Logger, Scheduler } from "@giveway/engine";
import { GivewayError } from "@giveway/kernel";
import type { Token } from "./auth/tokens.ts";
import { isLoopback } from "./guard/loopback.ts";

export interface ServerOptions {
  /** Started, stopped and owned by the caller. */
  readonly scheduler: Scheduler;
  /** Default `127.0.0.1`. Any other address than this machine's own needs tokens. */
  readonly host?: string;
  /** Default 7700; 0 takes a free one. */
  readonly port?: number;
  /** None: whoever reaches the server may do everything, so only this machine does. See `tokensFromEnv`. */
  readonly tokens?: readonly Token[];
  /** Bytes of a request's body; default 1 MiB. */
  readonly bodyLimit?: number;
  /** Names beside this machine's own that a `Host` header may carry while there are no tokens. */
  readonly allowedHosts?: readonly string[];
  /** Origins (`https://ops.example`) whose pages may use the API from a browser; default none. */
  readonly corsOrigins?: readonly string[];
  readonly logger?: Logger;
  readonly events?: EventOptions;
  readonly timeouts?: TimeoutOptions;
}

export interface EventOptions {
  /** Events kept for streams that come back; default 5 000. */
  readonly keep?: number;
  /** Streams at once; default 100. */
  readonly streams?: number;
  /** ms between two comment lines of a silent stream; default 15 s. */
  readonly heartbeat?: number;
  /** ms for which events are kept after the last stream has gone; default 10 min. */
  readonly linger?: number;
}

export interface TimeoutOptions {
  /** ms for a request to arrive completely; default 30 s. */
  readonly request?: number;
  /** ms for its headers; default 10 s. */
  readonly headers?: number;
  /** ms that an idle connection is kept; default 60 s. */
  readonly keepAlive?: number;
  /** ms that `close` waits for running requests; default 10 s. */
  readonly close?: number;
}

/** Options after checks and defaults: what the rest of the server reads. */
export interface ServerSettings {
  readonly scheduler: Scheduler;
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly Token[];
  readonly bodyLimit: number;
  readonly isOpen: boolean;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
  readonly events: Required<EventOptions>;
  readonly timeouts: Required<TimeoutOptions>;
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Throws `invalid_config`, naming the option. */
export function compileOptions(options: ServerOptions): ServerSettings {
  const { host = "127.0.0.1", tokens = [] } = options;
  if (tokens.length === 0 && !isLoopback(host)) {
    throw invalid(
      "host",
      `without tokens the server listens on this machine only, not on ${host}: set GIVEWAY_TOKENS or GIVEWAY_TOKENS_FILE, or use 127.0.0.1`,
    );
  }
  return {
    scheduler: options.scheduler,
    host,
    port: whole("port", options.port ?? 7700, 0, 65_535),
    tokens,
    bodyLimit: whole("bodyLimit", options.bodyLimit ?? 1_048_576, 1, 1_073_741_824),
    isOpen: tokens.length === 0,
    allowedHosts: options.allowedHosts ?? [],
    corsOrigins: (options.corsOrigins ?? []).map(originOf),
    logger: options.logger ?? silent,
    events: {
      keep: whole("events.keep", options.events?.keep ?? 5000, 1, 1_000_000),
      streams: whole("events.streams", options.events?.streams ?? 100, 1, 100_000),
      heartbeat: whole("events.heartbeat", options.events?.heartbeat ?? 15_000, 1, 3_600_000),
      linger: whole("events.linger", options.events?.linger ?? 600_000, 0, 86_400_000),
    },
    timeouts: {
      request: whole("timeouts.request", options.timeouts?.request ?? 30_000, 1, 3_600_000),
      headers: whole("timeouts.headers", options.timeouts?.headers ?? 10_000, 1, 3_600_000),
      keepAlive: whole("timeouts.keepAlive", options.timeouts?.keepAlive ?? 60_000, 1, 3_600_000),
      close: whole("timeouts.close", options.timeouts?.close ?? 10_000, 0, 3_600_000),
    },
  };
}

function whole(field: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(field, `expected a whole number from ${least} to ${most}; got ${String(value)}`);
}

function originOf(origin: string): string {
  if (/^https?:\/\/[^/?#]+$/.test(origin)) return origin;
  throw invalid("corsOrigins", `expected origins such as https://ops.example; got "${origin}"`);
}

function invalid(field: string, text: string): GivewayError {
  return new GivewayError("invalid_config", `${field}: ${text}`, { field });
}
