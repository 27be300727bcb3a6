import type { TaskEventView } from "../api.ts";

/** Events kept for a reader that is slower than the engine. */
export const STREAM_BUFFER = 10_000;

type Step = IteratorResult<TaskEventView, undefined>;

/** One reader's queue of events as an async iterable: bounded, oldest dropped first. */
export class EventStream implements AsyncIterableIterator<TaskEventView, undefined> {
  #buffer: TaskEventView[] = [];
  /** Index of the first unread event; the array is compacted now and then, so that a read costs the same at any length. */
  #first = 0;
  readonly #readers: ((step: Step) => void)[] = [];
  readonly #onEnd: () => void;
  #ended = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(event: TaskEventView): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ done: false, value: event });
      return;
    }
    this.#buffer.push(event);
    if (this.#buffer.length - this.#first > STREAM_BUFFER) this.#take();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }

  next(): Promise<Step> {
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(): Promise<Step> {
    this.#buffer = [];
    this.#first = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): TaskEventView | undefined {
    const event = this.#buffer[this.#first];
    if (event === undefined) return undefined;
    this.#first += 1;
    if (this.#first > STREAM_BUFFER) {
      this.#buffer = this.#buffer.slice(this.#first);
      this.#first = 0;
    }
    return event;
  }
}
