import { boundOf, type TypeName } from "@giveway/kernel";
import type { CompiledType } from "../config/compiled.ts";
import { RateMeter } from "../dispatch/rate-meter.ts";

/** What closes and opens a stream: the windows of the queues that hold tasks of the type. */
export interface StreamGate {
  closeStream(type: TypeName): void;
  /** It may be started again: there may be work of it in the ledger that the last claim had to leave. */
  openStream(type: TypeName): void;
}

/**
 * The permits of one type on this node (C15). Each handler under way holds one, also as a zombie, also after a cancel, until it settles. With the
 * bound used up, the type paused, or zombies filling its queue's slots, its stream is closed: that blocks nobody else.
 */
export class TypePool {
  readonly type: TypeName;
  readonly compiled: CompiledType;
  readonly rate: RateMeter;
  readonly #gates = new Set<StreamGate>();
  #bound = Number.POSITIVE_INFINITY;
  #zombieLimit = Number.POSITIVE_INFINITY;
  #held = 0;
  #zombies = 0;
  #paused = false;
  #open = true;

  constructor(compiled: CompiledType, monotonic: number) {
    this.type = compiled.type;
    this.compiled = compiled;
    this.rate = new RateMeter(monotonic);
  }

  /** A queue that may hold tasks of this type is told when the stream closes and opens. */
  attach(gate: StreamGate): void {
    if (this.#gates.has(gate)) return;
    this.#gates.add(gate);
    if (!this.#open) gate.closeStream(this.type);
  }

  /** Settings of its own queue: how many slots, and how many types share them. */
  configure(slots: number, types: number): void {
    this.#bound = boundOf(this.compiled.concurrency, slots, types);
    // Zombies that hold all its permits stop it as surely as zombies in all slots.
    this.#zombieLimit = Math.min(slots, this.#bound);
    this.#update();
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    this.#update();
  }

  acquire(): void {
    this.#held += 1;
    if (this.#held >= this.#bound && this.#open) this.#update();
  }

  release(): void {
    this.#held -= 1;
    if (!this.#open) this.#update();
  }

  /** A handler goes on after its end. Answers whether that stopped the type on this node. */
  zombie(): boolean {
    this.#zombies += 1;
    const stops = this.#zombies === this.#zombieLimit;
    this.#update();
    return stops;
  }

  /** A zombie settled at last: its permit is free. Answers whether that lets a stopped type start again. */
  laidToRest(): boolean {
    const was = this.stopped;
    this.#zombies -= 1;
    this.release();
    return was && !this.stopped;
  }

  get paused(): boolean {
    return this.#paused;
  }
  get running(): number {
    return this.#held;
  }
  get zombies(): number {
    return this.#zombies;
  }
  get stopped(): boolean {
    return this.#zombies >= this.#zombieLimit;
  }
  get bound(): number {
    return this.#bound;
  }
  /** Whether its tasks may be taken at all; room is another question. */
  get usable(): boolean {
    return !this.#paused && !this.stopped;
  }
  /** Permits left. */
  get room(): number {
    return Math.max(0, this.#bound - this.#held);
  }
  get open(): boolean {
    return this.#open;
  }

  #update(): void {
    const open = this.usable && this.#held < this.#bound;
    if (open === this.#open) return;
    this.#open = open;
    for (const gate of this.#gates) {
      if (open) gate.openStream(this.type);
      else gate.closeStream(this.type);
    }
  }
}
