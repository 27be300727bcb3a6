import type { InsertOutcome, InsertTurn, NewTask, TaskStore } from "@giveway/store";

interface Pending {
  readonly task: NewTask;
  resolve(answer: InsertAnswer): void;
  reject(error: unknown): void;
}

export interface InsertAnswer {
  readonly outcome: InsertOutcome;
  /** The `now` it was inserted with, ms since 1970. */
  readonly at: number;
}

/**
 * Gathers the submits of one turn of the event loop into one insert per class of turn: a hundred concurrent submitters cost one call, one
 * message to the ledger and one commit. A lone submit waits for no timer, only for the microtasks already queued. What comes while a commit is
 * under way is joined by the store.
 */
export class InsertBatcher {
  readonly #store: TaskStore;
  readonly #now: () => number;
  #express: Pending[] = [];
  #normal: Pending[] = [];
  #scheduled = false;

  constructor(store: TaskStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  add(task: NewTask, turn: "express" | "normal"): Promise<InsertAnswer> {
    return new Promise((resolve, reject) => {
      (turn === "express" ? this.#express : this.#normal).push({ task, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      queueMicrotask(() => this.#flush());
    });
  }

  #flush(): void {
    this.#scheduled = false;
    const { express, normal } = { express: this.#express, normal: this.#normal };
    this.#express = [];
    this.#normal = [];
    if (express.length > 0) void this.#insert(express, "express");
    if (normal.length > 0) void this.#insert(normal, "normal");
  }

  async #insert(batch: readonly Pending[], turn: InsertTurn): Promise<void> {
    const at = this.#now();
    try {
      const outcomes = await this.#store.insert(
        batch.map(({ task }) => task),
        turn,
        at,
      );
      batch.forEach(({ resolve }, index) => {
        resolve({ outcome: outcomes[index]!, at });
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
