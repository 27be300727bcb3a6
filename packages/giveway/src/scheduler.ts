import type { Scheduler as Core, Json, SubmitAnswer, SubmitOptions, TaskView } from "@giveway/engine";
import type { TaskDefinition } from "./define-task.ts";

declare const resultType: unique symbol;

/** A task's id that remembers, for the compiler only, what its result will be. */
export type TypedTaskId<Result> = string & { readonly [resultType]: Result };

/** A task as submitted with a definition: `scheduler.result(task.id)` has the handler's type. */
export type SubmittedTask<Result> = Omit<TaskView, "id"> & { readonly id: TypedTaskId<Result> };

export interface TypedSubmitAnswer<Result> extends Omit<SubmitAnswer, "task"> {
  readonly task: SubmittedTask<Result>;
}

/** The scheduler as programs use it: the engine's own, with payload and result typed by the definitions. */
export interface Scheduler extends Omit<Core, "submit" | "result"> {
  /** Durable once it resolves. Errors: `unknown_type`, `invalid_payload`, `id_conflict` and the others of the reference. */
  submit<Input, Output, Result>(
    task: TaskDefinition<Input, Output, Result>,
    payload: Input,
    options?: SubmitOptions,
  ): Promise<TypedSubmitAnswer<Result>>;
  submit(type: string, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer>;

  /** Rejects with `task_dead`, `task_cancelled`, `task_removed`, `result_timeout` or `task_not_found`. */
  result<Result>(id: TypedTaskId<Result>, options?: Parameters<Core["result"]>[1]): Promise<Result>;
  result(id: string, options?: Parameters<Core["result"]>[1]): Promise<Json>;
}
