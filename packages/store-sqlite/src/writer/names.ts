import type { Driver, Statement } from "../driver/driver.ts";

/** A queue and type, which the ledger calls by one small number. */
export interface StreamName {
  readonly stream: number;
  readonly queue: number;
  readonly queueName: string;
  readonly type: string;
}

/** Names and their numbers, made on first use and cached until another process writes. There are as many rows as queues times types. */
export class Names {
  readonly #readQueues: Statement;
  readonly #readStreams: Statement;
  readonly #addQueue: Statement;
  readonly #addStream: Statement;
  readonly #queues = new Map<string, number>();
  readonly #streams = new Map<number, StreamName>();
  readonly #ofQueue = new Map<number, Map<string, StreamName>>();
  readonly #ofType = new Map<string, number[]>();
  #known = false;

  constructor(driver: Driver) {
    this.#readQueues = driver.prepare("SELECT id, name FROM queue");
    this.#readStreams = driver.prepare(
      "SELECT s.id, s.queue, q.name, s.type FROM stream s JOIN queue q ON q.id = s.queue ORDER BY s.id",
    );
    this.#addQueue = driver.prepare("INSERT INTO queue (name) VALUES (?) RETURNING id");
    this.#addStream = driver.prepare("INSERT INTO stream (queue, type) VALUES (?, ?) RETURNING id");
  }

  /** The queue's number, or null where no task was ever in it. */
  queue(name: string): number | null {
    this.#load();
    return this.#queues.get(name) ?? null;
  }

  /** The stream of a queue and type, made where it is new. */
  ensure(queueName: string, type: string): StreamName {
    this.#load();
    const queue = this.#queues.get(queueName) ?? this.#makeQueue(queueName);
    return this.#ofQueue.get(queue)?.get(type) ?? this.#makeStream(queue, queueName, type);
  }

  find(queueName: string, type: string): StreamName | null {
    const queue = this.queue(queueName);
    return queue === null ? null : (this.#ofQueue.get(queue)?.get(type) ?? null);
  }

  stream(stream: number): StreamName {
    this.#load();
    const found = this.#streams.get(stream);
    if (found === undefined) throw new Error(`the stream ${stream} has no name`);
    return found;
  }

  /** The streams of a type, in all queues. */
  streamsOf(type: string): readonly number[] {
    this.#load();
    return this.#ofType.get(type) ?? [];
  }

  invalidate(): void {
    this.#known = false;
  }

  #makeQueue(name: string): number {
    const queue = Number(this.#addQueue.get(name)?.[0]);
    this.#queues.set(name, queue);
    return queue;
  }

  #makeStream(queue: number, queueName: string, type: string): StreamName {
    const stream = Number(this.#addStream.get(queue, type)?.[0]);
    return this.#remember({ stream, queue, queueName, type });
  }

  #remember(name: StreamName): StreamName {
    this.#streams.set(name.stream, name);
    let types = this.#ofQueue.get(name.queue);
    if (types === undefined) {
      types = new Map();
      this.#ofQueue.set(name.queue, types);
    }
    types.set(name.type, name);
    const streams = this.#ofType.get(name.type);
    if (streams === undefined) this.#ofType.set(name.type, [name.stream]);
    else streams.push(name.stream);
    return name;
  }

  #load(): void {
    if (this.#known) return;
    for (const map of [this.#queues, this.#streams, this.#ofQueue, this.#ofType]) map.clear();
    for (const [id, name] of this.#readQueues.all()) this.#queues.set(String(name), Number(id));
    for (const [stream, queue, queueName, type] of this.#readStreams.all()) {
      this.#remember({
        stream: Number(stream),
        queue: Number(queue),
        queueName: String(queueName),
        type: String(type),
      });
    }
    this.#known = true;
  }
}
