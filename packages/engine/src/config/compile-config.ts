import { GivewayError, type QueueName, type TypeName } from "@giveway/kernel";
import type { EngineOptions } from "../api.ts";
import type { CompiledType, QueueSettings } from "./compiled.ts";

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

/** Throws `invalid_config` naming the bad key, for instance `queues.orders.slots`. */
export function compileConfig(options: EngineOptions): CompiledConfig {
  throw new GivewayError("invalid_config", String(options));
}
