import {
  type Clock,
  checkTaskId,
  GivewayError,
  parseDuration,
  type TaskId,
  type TaskRecord,
  type TimerHandle,
} from "@giveway/kernel";
import type { TaskStore } from "@giveway/store";
import type { DurationInput, Json } from "../api.ts";
import type { EventHub } from "../observe/event-hub.ts";
import type { EngineEvent } from "../ports.ts";

export interface ResultWaitersDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly hub: EventHub;
}

interface Waiter {
  resolve(result: Json): void;
  reject(error: unknown): void;
}

/** Rows read at once, so that a thousand waiters don't hold up the ledger. */
const LOOK_PAGE = 500;

const ENDING: ReadonlySet<EngineEvent["kind"]> = new Set(["succeeded", "dead", "cancelled", "removed"]);

/**
 * Who waits for a task's end, by id. An end on this node is heard as an event; ends elsewhere are found by one look at the ledger for all waiters
 * whenever another process wrote or the safety poll comes round. No waiter polls by itself.
 */
export class ResultWaiters {
  readonly #deps: ResultWaitersDeps;
  readonly #waiters = new Map<TaskId, Set<Waiter>>();
  #closed: Error | null = null;
  #looking: Promise<void> | null = null;
  #lookAgain = false;

  constructor(deps: ResultWaitersDeps) {
    this.#deps = deps;
    deps.hub.consume((event) => this.#heard(event));
  }

  /** Errors: `task_dead`, `task_cancelled`, `task_removed`, `task_not_found`, `result_timeout`, and the signal's own reason. */
  async result(
    given: string,
    options: { readonly timeout?: DurationInput; readonly signal?: AbortSignal } = {},
  ): Promise<Json> {
    const id = checkTaskId(given);
    const timeout = options.timeout === undefined ? null : parseDuration(options.timeout, "timeout");
    options.signal?.throwIfAborted();
    if (this.#closed !== null) throw this.#closed;
    return this.#wait(id, timeout, options.signal ?? null);
  }

  /** Another process wrote, or the safety poll came round: look again at the tasks waited for. One read for all, coalesced. */
  wake(): void {
    if (this.#waiters.size === 0) return;
    if (this.#looking !== null) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#lookAtAll().finally(() => {
      this.#looking = null;
      if (!this.#lookAgain) return;
      this.#lookAgain = false;
      this.wake();
    });
  }

  /** Rejects everybody who still waits. */
  close(error: Error): void {
    this.#closed = error;
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter.reject(error);
  }

  /** How many wait. */
  get size(): number {
    let size = 0;
    for (const waiters of this.#waiters.values()) size += waiters.size;
    return size;
  }

  #wait(id: TaskId, timeout: number | null, signal: AbortSignal | null): Promise<Json> {
    return new Promise<Json>((resolve, reject) => {
      let timer: TimerHandle | null = null;
      const done = (): void => {
        timer?.cancel();
        signal?.removeEventListener("abort", onAbort);
        this.#leave(id, waiter);
      };
      const waiter: Waiter = {
        resolve(result) {
          done();
          resolve(result);
        },
        reject(error) {
          done();
          reject(error);
        },
      };
      const onAbort = (): void => waiter.reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#join(id, waiter);
      if (timeout !== null) timer = this.#armed(id, timeout, waiter);
      // Heard from now on, so look now: an end between the two is seen by one or the other.
      this.#lookAt([id]).catch((error: unknown) => waiter.reject(error));
    });
  }

  /** Clocks cap one sleep, so the time is checked again when it fires. */
  #armed(id: TaskId, timeout: number, waiter: Waiter): TimerHandle {
    const { clock } = this.#deps;
    const end = clock.monotonic() + timeout;
    let handle: TimerHandle;
    const arm = (): void => {
      handle = clock.setTimer(
        () => {
          if (clock.monotonic() < end) arm();
          else waiter.reject(timedOut(id, timeout));
        },
        Math.max(0, end - clock.monotonic()),
      );
    };
    arm();
    return { cancel: () => handle.cancel() };
  }

  #heard(event: EngineEvent): void {
    if (event.task === null || !ENDING.has(event.kind)) return;
    const waiters = this.#waiters.get(event.task.id);
    if (waiters === undefined) return;
    const { id } = event.task;
    const result = event.kind === "succeeded" ? event.data?.result : undefined;
    if (event.kind === "removed") for (const waiter of [...waiters]) waiter.reject(removed(id));
    else if (typeof result === "string") for (const waiter of [...waiters]) waiter.resolve(JSON.parse(result) as Json);
    // The row says it all, and says the same to who looks later.
    else this.#lookAt([id]).catch(() => this.wake());
  }

  async #lookAtAll(): Promise<void> {
    const ids = [...this.#waiters.keys()];
    try {
      for (let from = 0; from < ids.length; from += LOOK_PAGE) await this.#lookAt(ids.slice(from, from + LOOK_PAGE));
    } catch {
      // The ledger's trouble is reported where it happens; the next wake or poll looks again.
    }
  }

  /** Only who waited before the read is told what it found: an id that was free then may have been submitted meanwhile. */
  async #lookAt(ids: readonly TaskId[]): Promise<void> {
    const waiting = ids.map((id) => [...(this.#waiters.get(id) ?? [])]);
    const rows = await this.#deps.store.get(ids);
    for (const [index, id] of ids.entries()) {
      const row = rows[index] ?? null;
      const verdict = row === null ? await this.#missing(id) : verdictOf(row);
      if (verdict === null) continue;
      for (const waiter of waiting[index] ?? []) {
        if ("error" in verdict) waiter.reject(verdict.error);
        else waiter.resolve(verdict.result);
      }
    }
  }

  async #missing(id: TaskId): Promise<Verdict> {
    const [known] = await this.#deps.store.remembered([id]);
    return known === null || known === undefined ? { error: notFound(id) } : { error: removed(id) };
  }

  #join(id: TaskId, waiter: Waiter): void {
    const waiters = this.#waiters.get(id);
    if (waiters === undefined) this.#waiters.set(id, new Set([waiter]));
    else waiters.add(waiter);
  }

  #leave(id: TaskId, waiter: Waiter): void {
    const waiters = this.#waiters.get(id);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(id);
  }
}

type Verdict = { readonly result: Json } | { readonly error: GivewayError };

/** What an ended task means for who waits; null while it has not ended. */
function verdictOf(task: TaskRecord): Verdict | null {
  switch (task.state) {
    case "waiting":
    case "running":
      return null;
    case "succeeded":
      return { result: task.result === null ? null : (JSON.parse(task.result) as Json) };
    case "dead":
      return { error: dead(task) };
    case "cancelled":
      return {
        error: new GivewayError("task_cancelled", `task ${task.id} was cancelled (${task.endReason ?? "by_hand"})`, {
          subject: task.id,
        }),
      };
  }
}

function dead(task: TaskRecord): GivewayError {
  const error = task.lastError === null ? "" : `: ${task.lastError.name}: ${task.lastError.message}`;
  return new GivewayError("task_dead", `task ${task.id} is dead (${task.endReason ?? "failed"})${error}`, {
    subject: task.id,
  });
}

function removed(id: TaskId): GivewayError {
  return new GivewayError("task_removed", `the row of task ${id} was removed, and its result with it`, { subject: id });
}

function notFound(id: TaskId): GivewayError {
  return new GivewayError("task_not_found", `there is no task ${id}`, { subject: id });
}

function timedOut(id: TaskId, timeout: number): GivewayError {
  return new GivewayError("result_timeout", `task ${id} has not ended after ${timeout} ms; it goes on, ask again`, {
    subject: id,
  });
}
