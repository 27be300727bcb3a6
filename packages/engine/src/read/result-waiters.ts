import type { Clock } from "@giveway/kernel";
import type { TaskStore } from "@giveway/store";
import type { DurationInput, Json } from "../api.ts";
import type { EventHub } from "../observe/event-hub.ts";

export interface ResultWaitersDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly hub: EventHub;
}

export class ResultWaiters {
  readonly #deps: ResultWaitersDeps;

  constructor(deps: ResultWaitersDeps) {
    this.#deps = deps;
  }

  result(id: string, options?: { readonly timeout?: DurationInput; readonly signal?: AbortSignal }): Promise<Json> {
    void [this.#deps, id, options];
    throw new Error("not built yet");
  }
  /** Another process wrote, or the safety poll came round: look again at the tasks waited for. One read for all, coalesced. */
  wake(): void {
    throw new Error("not built yet");
  }
  /** Rejects everybody who still waits. */
  close(error: Error): void {
    void error;
  }
  get size(): number {
    return 0;
  }
}
