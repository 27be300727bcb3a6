/** Helpers for testing handlers and the programs around them: a virtual clock, inline runs, waiting without sleeping. */
export { VirtualClock } from "@giveway/engine";
export { type InlineRun, runInline } from "./run-inline.ts";
export { createTestScheduler, type TestScheduler, type TestSchedulerOptions } from "./test-scheduler.ts";
