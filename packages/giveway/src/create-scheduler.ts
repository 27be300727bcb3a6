import { createEngine, type EngineOptions, systemClock, type TaskType } from "@giveway/engine";
import type { AnyTask } from "./define-task.ts";
import { type LoggerOption, loggerFrom } from "./logger.ts";
import { type StoreOption, storeFrom } from "./open-store.ts";
import type { Scheduler } from "./scheduler.ts";
import { checkBySchema } from "./standard-schema.ts";

/** Options of `createScheduler`; `docs/reference/options.md` has each with its default. */
export interface SchedulerOptions extends Omit<EngineOptions, "store" | "clock" | "random" | "logger" | "tasks"> {
  /** `sqlite:FILE`, `memory`, or a store object. */
  readonly store: StoreOption;
  /** The types this process can run; none for a client that only submits. */
  readonly tasks?: readonly AnyTask[];
  /** Default: JSON lines on stdout at `info`. */
  readonly logger?: LoggerOption;
}

/**
 * Opens the ledger and answers a scheduler that takes submits. Nothing runs before `start()`.
 *
 * Errors: `invalid_config` naming the bad option; `ledger_*` where the ledger can't be used.
 */
export async function createScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { store, tasks, logger, ...rest } = options;
  const engine = createEngine({
    // A process without types is a client: what it submits is checked by the node that runs it.
    allowUnknownTypes: tasks === undefined,
    ...rest,
    store: storeFrom(store),
    clock: systemClock(),
    random: Math.random,
    logger: loggerFrom(logger),
    tasks: (tasks ?? []).map(taskType),
  });
  await engine.open();
  return engine as Scheduler;
}

/** The engine's form of a definition. */
export function taskType(task: AnyTask): TaskType {
  const { schema, ...rest } = task;
  if (schema === undefined) return rest;
  return { ...rest, validate: (payload) => checkBySchema(schema, task.type, payload) };
}
