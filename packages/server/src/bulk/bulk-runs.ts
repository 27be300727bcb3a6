import { randomUUID } from "node:crypto";
import type { AnswerOf, BodyOf } from "@giveway/api";
import type { Scheduler, TaskFilter } from "@giveway/engine";
import { GivewayError } from "@giveway/kernel";

export type BulkRunView = AnswerOf<"getBulk">;
export type BulkRequest = BodyOf<"startBulk">;

/** The parts of a scheduler that a bulk run needs. */
export type BulkScheduler = Pick<Scheduler, "find" | "redrive">;

/** Runs at once, and ended ones that can still be asked for. */
const MAX_RUNNING = 4;
const MAX_ENDED = 100;
const MAX_PAGE = 100;
const DEFAULT_RATE = 100;

interface Run {
  readonly id: string;
  readonly request: BulkRequest;
  readonly by: string;
  readonly startedAt: number;
  readonly matched: number;
  state: BulkRunView["state"];
  redriven: number;
  endedAt: number | null;
  error: string | null;
}

/**
 * Redrives that go on by themselves and can be watched. A run walks over the matching tasks once, newest first, by the ledger's own
 * keys: a task that dies again behind it is not met a second time, so every run ends. Small pages keep to the rate and show progress.
 */
export class BulkRuns {
  readonly #scheduler: BulkScheduler;
  readonly #onUnexpected: (error: unknown, id: string) => void;
  readonly #now: () => number;
  readonly #runs = new Map<string, Run>();
  readonly #stop = new AbortController();

  /** `onUnexpected` hears of errors that a run does not tell the outside. */
  constructor(
    scheduler: BulkScheduler,
    onUnexpected: (error: unknown, id: string) => void,
    now: () => number = Date.now,
  ) {
    this.#scheduler = scheduler;
    this.#onUnexpected = onUnexpected;
    this.#now = now;
  }

  /** How many dead tasks a request matches. A payload is checked against the types of all of them. */
  async count(request: BulkRequest): Promise<number> {
    const { matched } = await this.#scheduler.redrive(selectionOf(request), { ...payloadOf(request), dryRun: true });
    return request.limit === undefined ? matched : Math.min(matched, request.limit);
  }

  /** Counts, then begins. Throws `too_many_requests` while too many others run. */
  async start(request: BulkRequest, by: string): Promise<BulkRunView> {
    this.#assertRoom();
    const matched = await this.count(request);
    this.#assertRoom();
    const run: Run = {
      id: randomUUID(),
      request,
      by,
      startedAt: this.#now(),
      matched,
      state: "running",
      redriven: 0,
      endedAt: null,
      error: null,
    };
    this.#forgetOld();
    this.#runs.set(run.id, run);
    void this.#follow(run);
    return viewOf(run);
  }

  get(id: string): BulkRunView {
    const run = this.#runs.get(id);
    if (run !== undefined) return viewOf(run);
    throw new GivewayError("not_found", `there is no bulk run ${id}; runs are forgotten when the server restarts`, {
      subject: id,
    });
  }

  /** Lets no run take another page. */
  stop(): void {
    this.#stop.abort();
  }

  async #follow(run: Run): Promise<void> {
    try {
      await this.#walk(run);
      run.state = this.#stop.signal.aborted ? "stopped" : "done";
    } catch (error) {
      run.state = this.#stop.signal.aborted ? "stopped" : "failed";
      run.error = this.#tell(error, run.id);
    }
    run.endedAt = this.#now();
  }

  #tell(error: unknown, id: string): string {
    if (error instanceof GivewayError) return error.message;
    this.#onUnexpected(error, id);
    return "something unexpected went wrong; the server's log has it";
  }

  async #walk(run: Run): Promise<void> {
    const { rate = DEFAULT_RATE, limit = Number.POSITIVE_INFINITY, cause } = run.request;
    const size = Math.min(MAX_PAGE, Math.max(1, Math.floor(rate)));
    for await (const page of this.#pages(run.request, size)) {
      const ids = page.slice(0, limit - run.redriven);
      if (ids.length === 0 || this.#stop.signal.aborted) return;
      const { redriven } = await this.#scheduler.redrive(
        { ids },
        {
          rate,
          by: run.by,
          ...payloadOf(run.request),
          ...(cause === undefined ? {} : { cause }),
        },
      );
      run.redriven += redriven;
      await this.#pause(run.startedAt + (run.redriven / rate) * 1000 - this.#now());
    }
  }

  async *#pages(request: BulkRequest, size: number): AsyncGenerator<readonly string[]> {
    if (request.ids !== undefined) {
      for (let at = 0; at < request.ids.length; at += size) yield request.ids.slice(at, at + size);
      return;
    }
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<BulkScheduler["find"]>> = await this.#scheduler.find({
        state: "dead",
        ...request.filter,
        limit: size,
        ...(cursor === null ? {} : { cursor }),
      });
      const ids = page.items.filter((task) => task.state === "dead").map((task) => task.id);
      if (ids.length > 0) yield ids;
      cursor = page.nextCursor;
    } while (cursor !== null && !this.#stop.signal.aborted);
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#stop;
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms).unref();
      signal.addEventListener("abort", done);
    });
  }

  #assertRoom(): void {
    const running = [...this.#runs.values()].filter(({ state }) => state === "running").length;
    if (running < MAX_RUNNING) return;
    throw new GivewayError("too_many_requests", `${MAX_RUNNING} bulk runs go on already; wait for one to end`);
  }

  #forgetOld(): void {
    for (const [id, run] of this.#runs) {
      if (this.#runs.size < MAX_ENDED) return;
      if (run.state !== "running") this.#runs.delete(id);
    }
  }
}

/** Asking for no selection at all would redrive everything by mistake. */
function selectionOf({ filter, ids }: BulkRequest): TaskFilter & { readonly ids?: readonly string[] } {
  if (filter === undefined && ids === undefined) {
    throw new GivewayError("invalid_filter", "filter: say which tasks, by filter or ids; {} means all dead ones", {
      field: "filter",
    });
  }
  if (filter !== undefined && ids !== undefined) {
    throw new GivewayError("invalid_filter", "ids: give ids or a filter, not both", { field: "ids" });
  }
  return ids === undefined ? { ...filter } : { ids };
}

/** A payload of null is one. */
function payloadOf(request: BulkRequest): { readonly payload?: unknown } {
  return "payload" in request ? { payload: request.payload } : {};
}

function viewOf(run: Run): BulkRunView {
  return {
    id: run.id,
    action: "redrive",
    dryRun: false,
    state: run.state,
    matched: run.matched,
    redriven: run.redriven,
    by: run.by,
    startedAt: new Date(run.startedAt).toISOString(),
    endedAt: run.endedAt === null ? null : new Date(run.endedAt).toISOString(),
    error: run.error,
  };
}
