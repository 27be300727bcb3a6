import { encodeJson, GivewayError, type JsonText, parseDuration, toIso, type Weight } from "@giveway/kernel";
import type { DurationInput, HandlerContext, HandlerLog, SubmitAnswer, SubmitOptions, TypeRef } from "../api.ts";
import type { Attempt } from "./attempt.ts";

/** Bytes of JSON that a progress may have. */
export const MAX_PROGRESS = 65_536;

/** What a context needs of the engine. */
export interface ContextPort {
  logOf(attempt: Attempt): HandlerLog;
  progressed(attempt: Attempt, progress: JsonText): void;
  extended(attempt: Attempt, ms: number): void;
  submit(type: TypeRef, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer>;
}

/**
 * What a handler gets beside its payload. All members are getters, so that they always tell the present state and can be taken apart
 * (`const { signal, progress } = ctx`), and nothing is made that the handler doesn't ask for.
 */
export class Context implements HandlerContext {
  readonly #attempt: Attempt;
  readonly #port: ContextPort;

  constructor(attempt: Attempt, port: ContextPort) {
    this.#attempt = attempt;
    this.#port = port;
  }

  get id(): string {
    return this.#attempt.task.id;
  }
  get name(): string | null {
    return this.#attempt.task.name;
  }
  get type(): string {
    return this.#attempt.task.type;
  }
  get queue(): string {
    return this.#attempt.task.queue;
  }
  get attempt(): number {
    return this.#attempt.number;
  }
  get requestId(): string {
    return this.#attempt.task.requestId;
  }
  get scheduledFor(): string {
    return toIso(this.#attempt.task.dueAt);
  }
  get weight(): Weight {
    return this.#attempt.weight;
  }
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
  get log(): HandlerLog {
    return this.#port.logOf(this.#attempt);
  }

  get progress(): (value: unknown) => void {
    return (value) => {
      this.#assertRunning("progress");
      this.#port.progressed(this.#attempt, encodeJson(value, { field: "progress", maxBytes: MAX_PROGRESS }));
    };
  }

  get extend(): (duration: DurationInput) => void {
    return (duration) => {
      const ms = parseDuration(duration, "extend");
      this.#assertRunning("extend");
      this.#port.extended(this.#attempt, ms);
    };
  }

  get snooze(): (delay: DurationInput) => never {
    return (delay) => {
      const ms = parseDuration(delay, "snooze");
      this.#assertRunning("snooze");
      this.#attempt.snooze = ms;
      throw new Snoozed(this.#attempt.task.id);
    };
  }

  get submit(): HandlerContext["submit"] {
    return (type, payload, options) => this.#port.submit(type, payload, options);
  }

  #assertRunning(call: string): void {
    if (!this.#attempt.settled && !this.#attempt.over) return;
    const { id } = this.#attempt.task;
    throw new GivewayError(
      "attempt_over",
      `ctx.${call} was called after attempt ${this.#attempt.number} of task ${id} had ended`,
      {
        subject: id,
      },
    );
  }
}

/** What `ctx.snooze` throws to unwind the handler. Catching it changes nothing: the attempt ends as snoozed. */
export class Snoozed extends Error {
  constructor(id: string) {
    super(`task ${id} put itself off`);
    this.name = "Snoozed";
  }
}
