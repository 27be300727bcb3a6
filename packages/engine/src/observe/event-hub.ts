import type { Logger, TaskEventView } from "../api.ts";
import type { EngineEvent, EventSink } from "../ports.ts";

export interface EventHubDeps {
  /** A consumer or listener that throws is reported here and never harms the others. */
  readonly logger: Logger;
}

export class EventHub implements EventSink {
  readonly #deps: EventHubDeps;

  constructor(deps: EventHubDeps) {
    this.#deps = deps;
  }

  emit(event: EngineEvent): void {
    void [this.#deps, event];
    throw new Error("not built yet");
  }
  /** Raw events, for the engine's own consumers: log lines, metrics, result waiters. Answers how to unsubscribe. */
  consume(consumer: (event: EngineEvent) => void): () => void {
    void consumer;
    throw new Error("not built yet");
  }
  subscribe(listener: (event: TaskEventView) => void): () => void {
    void listener;
    throw new Error("not built yet");
  }
  events(options?: { readonly signal?: AbortSignal }): AsyncIterable<TaskEventView> {
    void options;
    throw new Error("not built yet");
  }
  /** Ends all iterables. */
  close(): void {
    throw new Error("not built yet");
  }
}
