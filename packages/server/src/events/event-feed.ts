import type { TaskEventView } from "@giveway/engine";
import { GivewayError } from "@giveway/kernel";
import { EventRing } from "./event-ring.ts";

/** Where frames go: one open connection. */
export interface Sink {
  write(text: string): void;
  end(): void;
}

export interface FeedOptions {
  readonly subscribe: (listener: (event: TaskEventView) => void) => () => void;
  /** Event ids are only good on the node that numbered them. */
  readonly nodeId: () => string;
  readonly keep: number;
  readonly streams: number;
  readonly heartbeat: number;
  readonly linger: number;
}

export interface Start {
  readonly lastEventId: string | null;
  readonly recent: number;
}

/** ms after which a browser connects again. */
const RETRY = 2000;

/**
 * Passes the scheduler's events on to any number of streams. It listens from the first stream on until a while after the last: with
 * nobody watching, events cost nothing; a stream that comes back within that while goes on where it broke. Events of one turn of the
 * event loop are written at once, made into text once for all streams.
 */
export class EventFeed {
  readonly #options: FeedOptions;
  readonly #ring: EventRing;
  readonly #sinks = new Set<Sink>();
  #unsubscribe: (() => void) | null = null;
  #pending = "";
  #beat: NodeJS.Timeout | null = null;
  #parting: NodeJS.Timeout | null = null;
  #isQuiet = true;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#ring = new EventRing(options.keep);
  }

  /** Begins a stream; answers how to end it. Throws `too_many_requests` where there are too many already. */
  open(sink: Sink, start: Start): () => void {
    if (this.#sinks.size >= this.#options.streams) {
      throw new GivewayError(
        "too_many_requests",
        `${this.#options.streams} event streams are open already; end one first`,
      );
    }
    this.#listen();
    this.#flush();
    sink.write(`retry: ${RETRY}\n\n${this.#opening(start)}`);
    this.#sinks.add(sink);
    return () => this.#leave(sink);
  }

  close(): void {
    this.#flush();
    for (const sink of this.#sinks) sink.end();
    this.#sinks.clear();
    this.#stopBeat();
    this.#depart();
  }

  #opening(start: Start): string {
    if (start.lastEventId === null)
      return this.#ring
        .recent(start.recent)
        .map((event) => this.#frame(event))
        .join("");
    const known = this.#numberOf(start.lastEventId);
    const { missed, events } = known === null ? { missed: null, events: [] } : this.#ring.after(known);
    const gap = missed === 0 ? "" : `event: gap\ndata: ${JSON.stringify({ missed })}\n\n`;
    return gap + events.map((event) => this.#frame(event)).join("");
  }

  #numberOf(id: string): number | null {
    const at = id.lastIndexOf(".");
    const n = id.slice(at + 1);
    return id.slice(0, at) === this.#options.nodeId() && /^\d{1,15}$/.test(n) ? Number(n) : null;
  }

  #frame(event: TaskEventView): string {
    return `id: ${this.#options.nodeId()}.${event.n}\ndata: ${JSON.stringify(event)}\n\n`;
  }

  #listen(): void {
    if (this.#parting !== null) clearTimeout(this.#parting);
    this.#parting = null;
    this.#unsubscribe ??= this.#options.subscribe((event) => this.#take(event));
    this.#beat ??= setInterval(() => this.#sendBeat(), this.#options.heartbeat).unref();
  }

  #take(event: TaskEventView): void {
    this.#ring.push(event);
    if (this.#sinks.size === 0) return;
    if (this.#pending === "") setImmediate(() => this.#flush());
    this.#pending += this.#frame(event);
  }

  #flush(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#isQuiet = false;
    for (const sink of this.#sinks) sink.write(text);
  }

  /** Tells both ends, and whatever stands between them, that a silent stream is alive. */
  #sendBeat(): void {
    if (this.#isQuiet) for (const sink of this.#sinks) sink.write(": beat\n\n");
    this.#isQuiet = true;
  }

  #leave(sink: Sink): void {
    if (!this.#sinks.delete(sink) || this.#sinks.size > 0) return;
    this.#stopBeat();
    this.#parting = setTimeout(() => this.#depart(), this.#options.linger).unref();
  }

  #stopBeat(): void {
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#beat = null;
  }

  #depart(): void {
    if (this.#parting !== null) clearTimeout(this.#parting);
    this.#parting = null;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.#ring.clear();
  }
}
