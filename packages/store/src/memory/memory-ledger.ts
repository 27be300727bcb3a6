import { type NodeId, nodeId } from "@giveway/kernel";
import type { TaskStore } from "../task-store.ts";
import type { MemoryHooks } from "./hooks.ts";
import { LedgerState } from "./ledger-state.ts";
import { MemoryStore } from "./memory-store.ts";

export interface MemoryStoreOptions extends MemoryHooks {
  /** ms; default 15 s. */
  readonly lease?: number;
  /** ms; default 3 s. */
  readonly beat?: number;
  /** ms of the safety poll; default 0 where the ledger has one connection, else 1 s. */
  readonly poll?: number;
}

/**
 * A ledger in memory that any number of stores may be connected to, as processes are to a database. Deterministic: no timers, no clock of its
 * own, every call is carried out the moment it is made (hooks aside), and answers and wake-ups come by microtasks in the order of the calls.
 */
export class MemoryLedger {
  readonly #state = new LedgerState();
  readonly #connections = new Set<MemoryStore>();
  readonly #provenDead = new Set<NodeId>();
  #made = 0;

  connect(options: MemoryStoreOptions = {}): TaskStore {
    this.#made += 1;
    return new MemoryStore({
      state: this.#state,
      connection: this.#made,
      options,
      isProvenDead: (node) => this.#provenDead.has(node),
      opened: (store) => this.#connections.add(store),
      closed: (store) => this.#connections.delete(store),
      wrote: (by) => this.#wakeOthers(by),
    });
  }

  /** As if the node's process had ended before the eyes of the ledger. */
  proveDead(node: NodeId | string): void {
    this.#provenDead.add(nodeId(node));
  }

  #wakeOthers(by: MemoryStore): void {
    for (const store of this.#connections) if (store !== by) store.wake();
  }
}

/** A ledger of its own with one connection: for tests, and for programs that need no durability. */
export function createMemoryStore(options: MemoryStoreOptions = {}): TaskStore {
  return new MemoryLedger().connect({ poll: 0, ...options });
}
