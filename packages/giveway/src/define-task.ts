import type { DurationInput, HandlerContext, RetryOptions } from "@giveway/engine";
import { GivewayError, type WeightInput } from "@giveway/kernel";
import type { StandardSchemaV1 } from "@standard-schema/spec";

/** What JSON holds once it was stored; the payload type where a definition names no schema. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is the common case
type Returned<Result> = Result | void;

/** The context of a running handler. See `HandlerContext` for each member. */
export type TaskContext = HandlerContext;

type SchemaInput<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferInput<Schema> : unknown;
type SchemaOutput<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : unknown;

/** What `defineTask` takes. Defaults stand beside each option; `docs/reference/options.md` has the whole table. */
export interface TaskOptions<Schema extends StandardSchemaV1 | undefined, Result> {
  /** Unique name of the type, up to 200 characters. */
  readonly type: string;
  /** Any Standard Schema (Zod, Valibot, ArkType …). Checks at submit and again before each run; without one any JSON is taken. */
  readonly payload?: Schema;
  /** Default `default`. */
  readonly queue?: string;
  /** 1 to 10, or low, normal, high, critical. Default normal (5). */
  readonly weight?: WeightInput;
  /** Default 60 s. */
  readonly timeout?: DurationInput;
  /** At most so many at once over all nodes of the ledger. Default: slots − 1 of its queue on each node, where the queue serves several types. */
  readonly concurrency?: number;
  /** Default: three retries after 1 s, 5 s and 25 s. */
  readonly retry?: RetryOptions;
  /** Derives the id from the payload, so that the same business act is one task whoever submits it (A19). */
  readonly id?: (payload: SchemaOutput<Schema>) => string;
  /**
   * Does the work. It **may run more than once** (a crash after the effect and before the record of it): use `ctx.requestId` as the
   * idempotency key of what it calls. What it returns becomes the result, what it throws fails the attempt.
   */
  readonly run: (payload: SchemaOutput<Schema>, ctx: TaskContext) => Returned<Result> | Promise<Returned<Result>>;
}

declare const types: unique symbol;

/** A task type with what its payload goes in as and what its result comes out as. */
export interface TaskDefinition<Input = unknown, Output = unknown, Result = unknown> {
  readonly type: string;
  readonly queue?: string;
  readonly weight?: WeightInput;
  readonly timeout?: DurationInput;
  readonly concurrency?: number;
  readonly retry?: RetryOptions;
  readonly id?: (payload: Output) => string;
  readonly run: (payload: Output, ctx: TaskContext) => unknown;
  readonly schema: StandardSchemaV1 | undefined;
  readonly [types]?: (input: Input) => Result;
}

/** A definition of any payload and result: what `createScheduler` takes a list of. */
export type AnyTask = TaskDefinition<never, never, unknown>;

export type PayloadOf<Task> = Task extends TaskDefinition<infer Input, never, unknown> ? Input : never;
export type ResultOf<Task> = Task extends TaskDefinition<never, never, infer Result> ? Result : never;

/**
 * Defines a task type. The payload's and the result's types are inferred from the schema and from `run`.
 * Errors: `invalid_config` naming the option, at once, where the definition can't be one.
 */
export function defineTask<Result, Schema extends StandardSchemaV1 | undefined = undefined>(
  options: TaskOptions<Schema, Result>,
): TaskDefinition<SchemaInput<Schema>, SchemaOutput<Schema>, Awaited<Result>> {
  if (typeof options !== "object" || options === null) {
    throw new GivewayError("invalid_config", "defineTask: expected an object with type and run", { field: "task" });
  }
  if (typeof options.type !== "string" || options.type === "") {
    throw new GivewayError("invalid_config", "task.type: expected a name that isn't empty", { field: "type" });
  }
  if (typeof options.run !== "function") {
    throw new GivewayError("invalid_config", `task ${options.type}: run: expected a function`, { field: "run" });
  }
  if (options.payload !== undefined && !isStandardSchema(options.payload)) {
    throw new GivewayError(
      "invalid_config",
      `task ${options.type}: payload: expected a Standard Schema (an object with "~standard", such as a Zod, Valibot or ArkType schema)`,
      { field: "payload" },
    );
  }
  const { payload, ...rest } = options;
  return Object.freeze({ ...rest, schema: payload });
}

function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject) return false;
  const standard = (value as { readonly "~standard"?: { readonly validate?: unknown } })["~standard"];
  return typeof standard === "object" && standard !== null && typeof standard.validate === "function";
}
