import type { Json, TaskEventView } from "../api.ts";
import type { EngineEvent, EventData } from "../ports.ts";

/** An event as listeners, the event stream and the HTTP face show it. */
export function eventView(event: EngineEvent, n: number): TaskEventView {
  const { task } = event;
  return {
    n,
    at: new Date(event.at).toISOString(),
    kind: event.kind,
    task: task?.id ?? null,
    type: task?.type ?? null,
    queue: event.queue ?? task?.queue ?? null,
    name: task?.name ?? null,
    weight: task?.weight ?? null,
    attempt: task?.attempt ?? null,
    data: event.data === undefined ? {} : dataView(event.data),
  };
}

function dataView(data: EventData): Record<string, Json> {
  const view: Record<string, Json> = {};
  for (const [key, value] of Object.entries(data)) {
    if (value === undefined) continue;
    view[key] = JSON_KEYS.has(key) && typeof value === "string" ? parsed(value) : (value as Json);
  }
  return view;
}

/** These travel as JSON text, so that nobody parses them where nobody listens. */
const JSON_KEYS: ReadonlySet<string> = new Set(["result", "before", "after", "progress"]);

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
