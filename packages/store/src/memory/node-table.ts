import type { NodeId } from "@giveway/kernel";
import type { BeatAnswer, NodeRegistration, NodeSignal } from "../task-store.ts";

/** A node as the ledger knows it; `connection` tells through which one it was registered. */
export interface NodeRow {
  readonly registration: NodeRegistration;
  readonly connection: number;
  readonly startedAt: number;
  readonly lastBeat: number;
  readonly declaredDead: boolean;
}

/** The nodes, their beats, and what others left for them. */
export class NodeTable {
  readonly #rows = new Map<NodeId, NodeRow>();
  readonly #signals = new Map<NodeId, NodeSignal[]>();
  #clock = 0;

  /** The lease clock: the latest instant that any node brought. A ledger in memory has no other. */
  get clock(): number {
    return this.#clock;
  }

  register(registration: NodeRegistration, connection: number): void {
    const known = this.#rows.get(registration.node);
    this.#clock = Math.max(this.#clock, registration.now);
    this.#rows.set(registration.node, {
      registration: { ...registration, types: [...registration.types] },
      connection,
      startedAt: known?.startedAt ?? registration.now,
      lastBeat: laterThan(known, registration.now),
      declaredDead: known?.declaredDead ?? false,
    });
  }

  /** Whether it may take work. */
  isAlive(node: NodeId): boolean {
    return this.#rows.get(node)?.declaredDead === false;
  }

  beat(node: NodeId, now: number): BeatAnswer {
    const row = this.#rows.get(node);
    if (row === undefined || row.declaredDead) return { alive: false, signals: [] };
    this.#clock = Math.max(this.#clock, now);
    this.#rows.set(node, { ...row, lastBeat: laterThan(row, now) });
    const signals = this.#signals.get(node) ?? [];
    this.#signals.delete(node);
    return { alive: true, signals };
  }

  leave(node: NodeId, signal: NodeSignal): void {
    const left = this.#signals.get(node);
    if (left === undefined) this.#signals.set(node, [signal]);
    else left.push(signal);
  }

  declareDead(node: NodeId, lastBeat: number): boolean {
    const row = this.#rows.get(node);
    if (row === undefined || row.lastBeat !== lastBeat) return false;
    this.#rows.set(node, { ...row, declaredDead: true });
    return true;
  }

  forget(node: NodeId): void {
    this.#rows.delete(node);
    this.#signals.delete(node);
  }

  all(): IterableIterator<NodeRow> {
    return this.#rows.values();
  }
}

/** Each beat grows, so that `declareDead` notices one that came within the same ms. */
function laterThan(row: NodeRow | undefined, now: number): number {
  return row === undefined ? now : Math.max(row.lastBeat + 1, now);
}
