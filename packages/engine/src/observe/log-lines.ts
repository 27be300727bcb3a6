import type { Logger } from "../api.ts";
import type { EngineEvent } from "../ports.ts";

type Level = "debug" | "info" | "warn" | "error";

/** What has its line where it is found out, with its cause, or is no news for a log. */
type Unworded = "progress" | "type_stopped" | "lease_lost";
const UNWORDED: ReadonlySet<EngineEvent["kind"]> = new Set<Unworded>(["progress", "type_stopped", "lease_lost"]);

/** Level and words of each kind of event: exactly one line per event (A18). */
const LINES: Readonly<Record<Exclude<EngineEvent["kind"], Unworded>, readonly [level: Level, text: string]>> = {
  submitted: ["info", "task submitted"],
  duplicate: ["info", "known id, nothing submitted"],
  started: ["info", "task started"],
  succeeded: ["info", "task succeeded"],
  failed: ["warn", "attempt failed"],
  timed_out: ["warn", "attempt timed out"],
  lost: ["warn", "attempt lost with its node"],
  retrying: ["info", "task will be tried again"],
  dead: ["error", "task is dead"],
  cancelled: ["info", "task cancelled"],
  released: ["info", "task released by a shutdown"],
  snoozed: ["info", "task put off by its handler"],
  reweighted: ["info", "task reweighted"],
  edited: ["info", "task edited"],
  rerun: ["info", "task runs again"],
  removed: ["info", "task removed"],
  late_answer: ["warn", "answer came too late and was refused"],
  rejected_late: ["warn", "handler failed after its attempt was over"],
  queue_changed: ["info", "live setting changed"],
};

/** Data that a line carries as it is. Results, progress and edited values are the user's own data: they never appear in a log. */
const NUMBERS = ["wait", "scheduleDelay", "run", "delay", "nth", "retries"] as const;
const TEXTS = ["outcome", "reason", "by"] as const;
/** Here before and after are settings, not data. */
const SHOWS_VALUES: ReadonlySet<EngineEvent["kind"]> = new Set(["reweighted", "queue_changed"]);

/**
 * The one place that words what happens to tasks. One structured line per event: `event`, then id, name, type, queue, weight and attempt of the
 * task, then what the kind adds. Times are ms. Connect with `hub.consume((event) => lines.consume(event))`.
 */
export class LogLines {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  consume(event: EngineEvent): void {
    if (!isWorded(event.kind)) return;
    const [level, text] = LINES[event.kind];
    // At 50 000 tasks a second a line that nobody writes must not even be put together.
    if (this.#logger.isLevelEnabled?.(level) === false) return;
    this.#logger[level](fieldsOf(event), text);
  }
}

function isWorded(kind: EngineEvent["kind"]): kind is keyof typeof LINES {
  return !UNWORDED.has(kind);
}

function fieldsOf({ kind, task, queue, data = {} }: EngineEvent): Record<string, unknown> {
  const fields: Record<string, unknown> = { event: kind };
  if (task !== null) {
    const { id, name, type, weight, attempt } = task;
    Object.assign(fields, { id, name, type, queue: task.queue, weight, attempt });
  } else if (queue !== undefined) fields["queue"] = queue;
  for (const key of NUMBERS) if (data[key] !== undefined) fields[key] = rounded(data[key]);
  for (const key of TEXTS) if (data[key] !== undefined) fields[key] = data[key];
  if (data.error !== undefined) fields["error"] = { name: data.error.name, message: data.error.message };
  if (SHOWS_VALUES.has(kind)) Object.assign(fields, { before: data.before, after: data.after });
  return fields;
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
