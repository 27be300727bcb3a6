import { GivewayError } from "@giveway/kernel";
import { writeQuery } from "../query.ts";
import { ApiError } from "./api-error.ts";
import type { EventsOptions, StreamedEvent, TaskEvent } from "./client.ts";
import { messagesOf } from "./event-stream.ts";
import type { Http } from "./http.ts";

/** ms between two tries to connect again, unless the server asks for another pause. */
const PAUSE = 2000;

/**
 * Events as they happen. A stream that breaks is opened again after the last event received; the first connection, and every answer
 * that is a problem, fails at once. Ends without an error when the signal fires.
 */
export async function* followEvents(
  http: Http,
  options: EventsOptions,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal, reconnect = true } = options;
  let last = options.lastEventId;
  let wait = PAUSE;
  const onRetry = (ms: number) => {
    wait = ms;
  };
  for (let connected = false; !isAborted(signal); ) {
    try {
      const response = await http.send(
        {
          method: "GET",
          path: `/v1/events${connected ? "" : writeQuery({ recent: options.recent })}`,
          headers: { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) },
          ...(signal === undefined ? {} : { signal }),
        },
        null,
      );
      connected = true;
      yield { kind: "open" };
      if (response.body === null) return;
      for await (const message of messagesOf(response.body, onRetry)) {
        last = message.id ?? last;
        yield streamed(message.event, message.data, message.id ?? "");
      }
    } catch (error) {
      if (isAborted(signal)) return;
      const isBroken = connected && !(error instanceof ApiError);
      if (!reconnect || !isBroken) throw error;
    }
    if (!reconnect) return;
    await pause(wait, signal);
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function streamed(event: string, data: string, id: string): StreamedEvent {
  const value: unknown = JSON.parse(data);
  if (typeof value !== "object" || value === null) {
    throw new GivewayError("unexpected_answer", "the event stream holds something that is no event");
  }
  if (event === "gap") return { kind: "gap", missed: "missed" in value ? (value.missed as number | null) : null };
  return { kind: "event", id, event: value as TaskEvent };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
