import type { Logger, TaskEventView } from "../api.ts";
import type { EngineEvent, EventSink } from "../ports.ts";
import { EventStream } from "./event-stream.ts";
import { eventView } from "./event-view.ts";

export interface EventHubDeps {
  /** A consumer or listener that throws is reported here and never harms the others. */
  readonly logger: Logger;
}

/**
 * Passes each event on, in order and at once: first to the engine's own consumers as raw values, then, where anybody listens, as a view.
 * With nobody listening an event costs one addition and the consumers' own work.
 */
export class EventHub implements EventSink {
  readonly #logger: Logger;
  readonly #consumers = new Set<(event: EngineEvent) => void>();
  readonly #listeners = new Set<(event: TaskEventView) => void>();
  readonly #streams = new Set<EventStream>();
  #emitted = 0;

  constructor(deps: EventHubDeps) {
    this.#logger = deps.logger;
  }

  emit(event: EngineEvent): void {
    this.#emitted += 1;
    for (const consumer of this.#consumers) this.#call(consumer, event);
    if (this.#listeners.size === 0) return;
    const view = eventView(event, this.#emitted);
    for (const listener of this.#listeners) this.#call(listener, view);
  }

  /** Raw events, for the engine's own consumers: log lines, metrics, result waiters. Answers how to unsubscribe. */
  consume(consumer: (event: EngineEvent) => void): () => void {
    this.#consumers.add(consumer);
    return () => this.#consumers.delete(consumer);
  }

  /** Calls `listener` for each event from now on, in order, before the emitter goes on. Answers how to unsubscribe. */
  subscribe(listener: (event: TaskEventView) => void): () => void {
    // A wrapper of its own, so that the same function subscribed twice is called and removed twice.
    const entry = (event: TaskEventView): void => listener(event);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /**
   * Events from the moment of this call. The buffer is bounded: a reader that falls more than 10 000 events behind loses the oldest and
   * sees it by a gap in `n`. Ends when the signal fires, the reader leaves its loop, or the engine stops.
   */
  events(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<TaskEventView> {
    const stream = new EventStream(() => {
      unsubscribe();
      this.#streams.delete(stream);
      options.signal?.removeEventListener("abort", stop);
    });
    const stop = (): void => stream.end();
    const unsubscribe = this.subscribe((event) => stream.push(event));
    this.#streams.add(stream);
    if (options.signal?.aborted === true) stream.end();
    else options.signal?.addEventListener("abort", stop, { once: true });
    return stream;
  }

  /** Ends all iterables; what they hold can still be read. */
  close(): void {
    for (const stream of [...this.#streams]) stream.end();
  }

  #call<Event>(consumer: (event: Event) => void, event: Event): void {
    try {
      consumer(event);
    } catch (error) {
      this.#logger.error(
        { event: "listener_failed", err: error },
        "an event listener threw; the event went on to the others",
      );
    }
  }
}
