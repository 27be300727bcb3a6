import type { AgingSteps, LaneOrder, Policy, QueueName, RetrySpec, TypeName, Weight } from "@giveway/kernel";
import type { HandlerContext } from "../api.ts";

/** A task type after validation and defaults: what the rest of the engine reads. */
export interface CompiledType {
  readonly type: TypeName;
  readonly queue: QueueName;
  readonly weight: Weight;
  /** ms */
  readonly timeout: number;
  /** Stated bound for the whole ledger, or null. */
  readonly concurrency: number | null;
  readonly retry: CompiledRetry;
  readonly deriveId: ((payload: unknown) => string) | null;
  readonly validate: ((payload: unknown) => unknown) | null;
  readonly run: (payload: unknown, ctx: HandlerContext) => unknown;
}

export interface CompiledRetry {
  readonly spec: RetrySpec;
  /** A delay in ms, or null for no further attempt; wins over `spec` where set. */
  readonly next: ((error: unknown, retries: number) => number | null) | null;
  readonly retryable: ((error: unknown) => boolean | undefined) | null;
}

/** A queue's settings in force: code, then live overrides. */
export interface QueueSettings {
  readonly name: QueueName;
  readonly policy: Policy;
  readonly lanes: readonly LaneOrder[];
  readonly steps: AgingSteps;
  readonly slots: number;
  /** Burst included, never below `slots`. */
  readonly burst: number;
  readonly burstFor: "express" | "all";
  /** Percent. */
  readonly share: number;
  readonly paused: boolean;
}
