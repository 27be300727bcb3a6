import { type HandlerContext, systemClock } from "@giveway/engine";
import { DEFAULT_WEIGHT, GivewayError, parseDuration, parseWeight, toIso } from "@giveway/kernel";
import type { AnyTask, TaskDefinition } from "../define-task.ts";
import { checkBySchema } from "../standard-schema.ts";

/** What a handler did during an inline run, beside its result. */
export interface InlineRun<Result> {
  readonly result: Result;
  readonly log: readonly { readonly level: "debug" | "info" | "warn" | "error"; readonly text: string }[];
  readonly progress: readonly unknown[];
  readonly submitted: readonly { readonly type: string; readonly payload: unknown }[];
}

/**
 * Runs a handler once, right here, without a scheduler: the payload passes its schema, the context is a plain one, and what the handler
 * throws is thrown on. Give parts of the context (`signal`, `attempt` …) to see how it behaves then.
 */
export async function runInline<Input, Output, Result>(
  task: TaskDefinition<Input, Output, Result>,
  payload: Input,
  context: Partial<HandlerContext> = {},
): Promise<InlineRun<Result>> {
  const checked = task.schema === undefined ? payload : await checkBySchema(task.schema, task.type, payload);
  const recorder = new Recorder();
  const result = await task.run(checked as Output, { ...recorder.context(task), ...context });
  return { result: result as Result, log: recorder.log, progress: recorder.progress, submitted: recorder.submitted };
}

class Recorder {
  readonly log: { level: "debug" | "info" | "warn" | "error"; text: string }[] = [];
  readonly progress: unknown[] = [];
  readonly submitted: { type: string; payload: unknown }[] = [];

  context(task: AnyTask): HandlerContext {
    const line = (level: "debug" | "info" | "warn" | "error") => (text: string) => {
      this.log.push({ level, text });
    };
    return {
      id: "inline",
      name: null,
      type: task.type,
      queue: task.queue ?? "default",
      attempt: 1,
      requestId: "inline",
      scheduledFor: toIso(systemClock().now()),
      weight: task.weight === undefined ? DEFAULT_WEIGHT : parseWeight(task.weight),
      signal: new AbortController().signal,
      log: { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") },
      progress: (value) => void this.progress.push(value),
      extend: (duration) => void parseDuration(duration),
      snooze: (delay) => {
        throw new GivewayError("attempt_over", `the handler snoozed for ${parseDuration(delay)} ms`);
      },
      submit: (type, payload) => {
        this.submitted.push({ type: typeof type === "string" ? type : type.type, payload });
        return Promise.reject(new Error("an inline run has no scheduler; give context.submit to answer this call"));
      },
    };
  }
}
