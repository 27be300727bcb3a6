import type { Logger } from "../api.ts";
import type { EngineEvent } from "../ports.ts";

type Level = "debug" | "info" | "warn" | "error";

/** Level and words of each kind of event: exactly one line per event (A18). Progress is no news for a log. */
const LINES: Readonly<Record<Exclude<EngineEvent["kind"], "progress">, readonly [level: Level, text: string]>> = {
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
  type_stopped: ["error", "type stopped on this node: handlers that never end fill its slots"],
  lease_lost: ["error", "lease lost; running work is told and its results are discarded"],
};

/** Numbers are rounded to whole ms in a line; results and payloads never appear in one. */
const SECRET: ReadonlySet<string> = new Set(["result"]);

/** The one place that words logs. Connect with `hub.consume((event) => lines.consume(event))`. */
export class LogLines {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  consume(event: EngineEvent): void {
    if (event.kind === "progress") return;
    const [level, text] = LINES[event.kind];
    if (this.#logger.isLevelEnabled?.(level) === false) return;
    this.#logger[level](fieldsOf(event), text);
  }
}

function fieldsOf({ kind, task, queue, data }: EngineEvent): Record<string, unknown> {
  const fields: Record<string, unknown> = { event: kind };
  if (task !== null) {
    fields["id"] = task.id;
    if (task.name !== null) fields["name"] = task.name;
    fields["type"] = task.type;
    fields["queue"] = task.queue;
    fields["weight"] = task.weight;
    fields["attempt"] = task.attempt;
  } else if (queue !== undefined) fields["queue"] = queue;
  for (const [key, value] of Object.entries(data ?? {})) {
    if (value === undefined || SECRET.has(key)) continue;
    // pino keeps `name` for itself; an error goes in as one field.
    fields[key] = typeof value === "number" ? Math.round(value * 1000) / 1000 : value;
  }
  return fields;
}
