import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { GivewayError } from "@giveway/kernel";
import { fromWire, toWire } from "../errors.ts";
import type { LedgerSettings } from "../options.ts";
import type { WriteCall } from "../wire/calls.ts";
import type { ReadAnswer, ReadArgs, ReadName } from "../wire/reads.ts";
import type { CommitReply } from "../writer/writer.ts";
import type { Link, LinkEvents, OpenReport } from "./link.ts";
import type { FromThread, ThreadStart, ToThread } from "./messages.ts";

/**
 * The writing connection on a thread of its own, started by `open`; the reading one on another, started by the first read; a backup on a third
 * that ends with it.
 */
export class ThreadLink implements Link {
  readonly #settings: LedgerSettings;
  readonly #events: LinkEvents;
  #writer: LedgerThread | null = null;
  #reader: Promise<LedgerThread> | null = null;
  #commit: Waiting<CommitReply> | null = null;
  readonly #reads = new Map<number, Waiting<unknown>>();
  #lastRead = 0;
  #closing = false;

  constructor(settings: LedgerSettings, events: LinkEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  async open(): Promise<OpenReport> {
    const { thread, report } = await startThread(this.#startOf("writer"), (message) => this.#fromWriter(message));
    this.#writer = thread;
    thread.onEnd((error) => this.#ended(error));
    return report;
  }

  commit(calls: readonly WriteCall[]): Promise<CommitReply> {
    return new Promise((resolve, reject) => {
      this.#commit = { resolve, reject };
      this.#writer?.send({ kind: "commit", calls });
    });
  }

  async read<Name extends ReadName>(name: Name, args: ReadArgs<Name>): Promise<ReadAnswer<Name>> {
    this.#reader ??= this.#startReader();
    const thread = await this.#reader;
    this.#lastRead += 1;
    const number = this.#lastRead;
    return new Promise<ReadAnswer<Name>>((resolve, reject) => {
      this.#reads.set(number, { resolve: (answer) => resolve(answer as ReadAnswer<Name>), reject });
      thread.send({ kind: "read", number, name, args });
    });
  }

  async backup(target: string): Promise<number> {
    let copied: (bytes: number) => void = () => {};
    const bytes = new Promise<number>((resolve) => {
      copied = resolve;
    });
    const { thread } = await startThread({ ...this.#startOf("backup"), target }, (message) => {
      if (message.kind === "copied") copied(message.bytes);
    });
    const answer = await bytes;
    await thread.end();
    return answer;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const reader = await this.#reader?.catch(() => null);
    await reader?.end();
    await this.#writer?.end();
    this.#rejectAll(new GivewayError("ledger_closed", `the ledger ${this.#settings.file} was closed`));
  }

  #startOf(role: ThreadStart["role"]): ThreadStart {
    return { role, settings: this.#settings, target: null };
  }

  async #startReader(): Promise<LedgerThread> {
    try {
      const { thread } = await startThread(this.#startOf("reader"), (message) => this.#fromReader(message));
      thread.onEnd((error) => this.#ended(error));
      return thread;
    } catch (error) {
      // The next read tries again: what kept it from opening may pass.
      this.#reader = null;
      throw error;
    }
  }

  #fromWriter(message: FromThread): void {
    switch (message.kind) {
      case "committed": {
        const waiting = this.#commit;
        this.#commit = null;
        waiting?.resolve(message.reply);
        return;
      }
      case "wake":
        this.#events.wake();
        return;
      case "fatal":
        this.#events.fatal(message.error);
        return;
      case "ping":
        this.#writer?.send({ kind: "pong", nodes: message.nodes });
        return;
      default:
        return;
    }
  }

  #fromReader(message: FromThread): void {
    if (message.kind !== "answer" && message.kind !== "failed") return;
    const waiting = this.#reads.get(message.number);
    this.#reads.delete(message.number);
    if (message.kind === "answer") waiting?.resolve(message.answer);
    else waiting?.reject(fromWire(message.error, this.#settings.file));
  }

  /** A thread ended by itself: nothing it was asked will be answered. */
  #ended(cause: unknown): void {
    if (this.#closing) return;
    const said = cause instanceof Error ? cause.message : "it ended by itself";
    const error = new GivewayError(
      "ledger_unavailable",
      `the thread of the ledger ${this.#settings.file} is gone (${said}); whether its last write is stored is not known: start again`,
      { subject: this.#settings.file, cause },
    );
    this.#rejectAll(error);
    this.#events.fatal(toWire(error));
  }

  #rejectAll(error: GivewayError): void {
    const waiting = [...this.#reads.values(), ...(this.#commit === null ? [] : [this.#commit])];
    this.#reads.clear();
    this.#commit = null;
    for (const { reject } of waiting) reject(error);
  }
}

interface Waiting<Value> {
  resolve(value: Value): void;
  reject(error: Error): void;
}

/** One thread that is open. */
class LedgerThread {
  readonly #worker: Worker;
  #ending = false;
  #cause: unknown = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("error", (error) => {
      this.#cause = error;
    });
  }

  send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  onEnd(ended: (cause: unknown) => void): void {
    this.#worker.once("exit", () => {
      if (!this.#ending) ended(this.#cause);
    });
  }

  /** Lets it finish and close its connection; the thread then ends by itself. */
  end(): Promise<void> {
    if (this.#ending) return Promise.resolve();
    this.#ending = true;
    return new Promise((resolve) => {
      this.#worker.once("exit", () => resolve());
      this.send({ kind: "close" });
    });
  }
}

function startThread(
  start: ThreadStart,
  receive: (message: FromThread) => void,
): Promise<{ readonly thread: LedgerThread; readonly report: OpenReport }> {
  return new Promise((resolve, reject) => {
    // Options of the main thread, such as conditions that resolve to sources, are not for this compiled file.
    const worker = new Worker(threadFile(), { workerData: start, execArgv: [], name: `giveway ledger ${start.role}` });
    const thread = new LedgerThread(worker);
    // Once it is open, both of these come to nothing: a settled promise stays as it is.
    worker.once("error", reject);
    worker.once("exit", () =>
      reject(new GivewayError("ledger_unavailable", "the ledger's thread ended while opening")),
    );
    worker.on("message", (message: FromThread) => {
      if (message.kind === "open") resolve({ thread, report: { pragmas: message.pragmas } });
      else if (message.kind === "refused") reject(fromWire(message.error, start.settings.file));
      else receive(message);
    });
  });
}

/** The compiled thread; run from sources, as tests are, it is taken from the build. Errors: `no_such_module`. */
function threadFile(): URL {
  const fromSource = import.meta.url.endsWith(".ts");
  const file = new URL(fromSource ? "../../dist/worker.js" : "../worker.js", import.meta.url);
  if (existsSync(file)) return file;
  throw new GivewayError(
    "no_such_module",
    `the ledger's thread is missing at ${fileURLToPath(file)}; run "npm run build" first`,
  );
}
