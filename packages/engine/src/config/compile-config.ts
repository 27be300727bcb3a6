import { hostname } from "node:os";
import { DEFAULT_MAX_PAYLOAD, parseDuration, type QueueName, queueName, type TypeName } from "@giveway/kernel";
import type { EngineOptions } from "../api.ts";
import { Checks, MAX_NAME } from "./checks.ts";
import { compileQueue } from "./compile-queue.ts";
import { compileType, DEFAULT_QUEUE } from "./compile-type.ts";
import type { CompiledType, QueueSettings } from "./compiled.ts";
import { ENGINE_OPTIONS, RETENTION_OPTIONS } from "./option-names.ts";

/** Everything `createEngine` was given, validated once, with defaults filled in. */
export interface CompiledConfig {
  readonly types: ReadonlyMap<TypeName, CompiledType>;
  /** By code, before live overrides; every queue a type names is here, and always `default`. */
  readonly queues: ReadonlyMap<QueueName, QueueSettings>;
  readonly label: string;
  readonly release: string;
  /** ms */
  readonly stopTimeout: number;
  /** ms that rows of ended tasks are kept. */
  readonly keep: number;
  /** ms that ids of succeeded tasks are remembered. */
  readonly remember: number;
  /** bytes */
  readonly maxPayload: number;
  /** ms; 0 for never. */
  readonly logFigures: number;
  readonly allowUnknownTypes: boolean;
}

const DAY = 86_400_000;
export const DEFAULT_STOP_TIMEOUT = 25_000;
export const DEFAULT_KEEP = 7 * DAY;
export const DEFAULT_REMEMBER = 30 * DAY;
export const DEFAULT_LOG_FIGURES = 60_000;
/** A payload is held in memory and written in one row: beyond this it belongs into a file store, with its address as payload. */
export const MAX_MAX_PAYLOAD = 64 * 1024 * 1024;

/**
 * Validates all options once. Throws `invalid_config` naming the bad key, for instance `queues.orders.slots`; a key that isn't known is
 * refused too, with what it may have meant.
 */
export function compileConfig(options: EngineOptions): CompiledConfig {
  const checks = new Checks("invalid_config");
  const given = checks.object(options, ENGINE_OPTIONS, "options");
  checkPorts(checks, given);
  const types = compileTypes(checks, given["tasks"]);
  const retention =
    given["retention"] === undefined ? {} : checks.object(given["retention"], RETENTION_OPTIONS, "retention");
  const duration = (value: unknown, path: string, byDefault: number): number =>
    value === undefined ? byDefault : checks.read(() => parseDuration(value, path));
  const { label, release, maxPayload, allowUnknownTypes } = given;
  return {
    types,
    queues: compileQueues(checks, given["queues"], types),
    label: label === undefined ? `${hostname()}:${process.pid}` : checks.text(label, "label", MAX_NAME),
    release: release === undefined ? "0" : checks.text(release, "release", MAX_NAME),
    stopTimeout: duration(given["stopTimeout"], "stopTimeout", DEFAULT_STOP_TIMEOUT),
    keep: duration(retention["keep"], "retention.keep", DEFAULT_KEEP),
    remember: duration(retention["remember"], "retention.remember", DEFAULT_REMEMBER),
    maxPayload:
      maxPayload === undefined ? DEFAULT_MAX_PAYLOAD : checks.whole(maxPayload, "maxPayload", 1, MAX_MAX_PAYLOAD),
    logFigures: duration(given["logFigures"], "logFigures", DEFAULT_LOG_FIGURES),
    allowUnknownTypes: allowUnknownTypes === undefined ? false : checks.flag(allowUnknownTypes, "allowUnknownTypes"),
  };
}

/** The parts that are objects with methods: caught here rather than at the first call. */
function checkPorts(checks: Checks, given: Readonly<Record<string, unknown>>): void {
  const ports = {
    store: ["open", "insert", "claim", "settle"],
    clock: ["now", "monotonic", "setTimer", "setImmediate"],
    logger: ["debug", "info", "warn", "error"],
  };
  for (const [key, methods] of Object.entries(ports)) {
    const port = checks.anyObject(given[key], key);
    for (const method of methods) checks.callable(port[method], `${key}.${method}`);
  }
  checks.callable(given["random"], "random");
}

function compileTypes(checks: Checks, value: unknown): ReadonlyMap<TypeName, CompiledType> {
  const types = new Map<TypeName, CompiledType>();
  for (const [index, entry] of checks.list(value, "tasks").entries()) {
    const compiled = compileType(checks, entry, index);
    if (types.has(compiled.type)) checks.fail(`tasks.${compiled.type}`, "is defined twice; a type has one handler");
    types.set(compiled.type, compiled);
  }
  return types;
}

/** The queues given, those that types name without more, and `default`. */
function compileQueues(
  checks: Checks,
  value: unknown,
  types: ReadonlyMap<TypeName, CompiledType>,
): ReadonlyMap<QueueName, QueueSettings> {
  const queues = new Map<QueueName, QueueSettings>();
  const add = (name: QueueName, options: unknown): void => {
    queues.set(name, compileQueue(checks, name, options, `queues.${name}`));
  };
  if (value !== undefined) {
    for (const [name, options] of Object.entries(checks.anyObject(value, "queues"))) {
      add(queueName(checks.name(name, `queues.${name}`, MAX_NAME)), options);
    }
  }
  for (const name of [...[...types.values()].map((type) => type.queue), DEFAULT_QUEUE]) {
    if (!queues.has(name)) add(name, {});
  }
  return queues;
}
