/**
 * Giveway: urgent work starts now, ordinary work always gets there, nothing is lost.
 *
 * `defineTask` says what can be done, `createScheduler` keeps and runs it, `scheduler.submit` asks for it.
 */
export type {
  Actor,
  AttemptView,
  ChangeView,
  DateInput,
  DurationInput,
  EditPatch,
  FindOptions,
  HandlerContext,
  HandlerLog,
  HistoryView,
  Json,
  Logger,
  Metrics,
  NextView,
  NodeView,
  Page,
  QueueOptions,
  QueuePatch,
  QueueView,
  RedriveOptions,
  RerunOptions,
  RetryOptions,
  SlotView,
  Stats,
  StopReport,
  SubmitAnswer,
  SubmitItem,
  SubmitOptions,
  TaskEventView,
  TaskFilter,
  TaskView,
  WhyView,
} from "@giveway/engine";
export {
  type ErrorCode,
  GivewayError,
  RetryAfterError,
  type Weight,
  type WeightInput,
  type WeightName,
} from "@giveway/kernel";
export { createScheduler, type SchedulerOptions } from "./create-scheduler.ts";
export {
  type AnyTask,
  defineTask,
  type PayloadOf,
  type ResultOf,
  type TaskContext,
  type TaskDefinition,
  type TaskOptions,
} from "./define-task.ts";
export { type LoggerOption, type LogLevel, loggerFrom } from "./logger.ts";
export { openLedger, type StoreOption } from "./open-store.ts";
export type { Scheduler, SubmittedTask, TypedSubmitAnswer, TypedTaskId } from "./scheduler.ts";
export { type SignalOptions, stopOnSignals } from "./signals.ts";
