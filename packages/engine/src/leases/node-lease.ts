import {
  type Clock,
  IdGenerator,
  localDeadline,
  type NodeId,
  nodeId,
  type Random,
  type TypeName,
} from "@giveway/kernel";
import type { NodeSignal, TaskStore } from "@giveway/store";
import type { Logger } from "../api.ts";
import type { Timer, TimerService } from "../time/timer-service.ts";

export interface NodeLeaseDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: TimerService;
  readonly logger: Logger;
  readonly label: string;
  readonly release: string;
  readonly types: readonly TypeName[];
  /** What others left for this node. */
  readonly signalled: (signals: readonly NodeSignal[]) => void;
  /** Its deadline passed or others declared it dead: nothing may start, handlers are told. */
  readonly lost: (ground: "expired" | "declared_dead") => void;
  /** A lease is in force again: under the same id after `expired`, under a fresh one after `declared_dead`. */
  readonly regained: () => void;
  /** After each beat that the ledger answered. */
  readonly beaten: () => void;
  readonly failed: (error: unknown) => void;
}

/** A beat that failed is repeated after so long, or sooner where the beat itself is shorter, ms. */
const REPEAT = 1_000;

/**
 * This node's lease (C10, D17; the protocol is told in the kernel's `lease.ts`). One row per incarnation, renewed by beats. The deadline counts from
 * when the renewing beat was sent. Once it passes nothing starts and handlers are told `lease_lost`; their answers still go to the ledger, where
 * the fence decides. A beat that finds the node declared dead makes it come back as a fresh incarnation: nobody can take what it then claims
 * for what it held before.
 */
export class NodeLease {
  readonly #deps: NodeLeaseDeps;
  readonly #ids: IdGenerator;
  #id: NodeId;
  #deadline = Number.NEGATIVE_INFINITY;
  #held = false;
  #beatTimer: Timer | null = null;
  #deadlineTimer: Timer | null = null;
  #beating = false;
  #closed = false;
  #soundFrom = Number.NEGATIVE_INFINITY;

  constructor(deps: NodeLeaseDeps) {
    this.#deps = deps;
    this.#ids = new IdGenerator(deps.random);
    this.#id = this.#freshId();
  }

  /** Of the present incarnation. */
  get id(): NodeId {
    return this.#id;
  }

  /** Whether the node may believe in its lease now. */
  get valid(): boolean {
    return this.#held && this.#deps.clock.monotonic() < this.#deadline;
  }

  /**
   * Whether it may judge others by the silence of their beats: not for a whole lease after a beat of its own failed or waited long for the
   * ledger, since theirs may have waited as well.
   */
  get sound(): boolean {
    return this.valid && this.#deps.clock.monotonic() >= this.#soundFrom;
  }

  /** Takes the lease and begins to beat. */
  async take(): Promise<void> {
    await this.#register();
    this.#held = true;
    this.#scheduleBeat(this.#deps.store.features.beat);
  }

  /** Stops beating. The row is the caller's to forget. */
  close(): void {
    this.#closed = true;
    this.#held = false;
    this.#deps.timers.cancel(this.#beatTimer);
    this.#deps.timers.cancel(this.#deadlineTimer);
  }

  /** Sends a beat now. */
  async beat(): Promise<void> {
    if (this.#beating || this.#closed) return;
    this.#beating = true;
    this.#deps.timers.cancel(this.#beatTimer);
    const { store, clock } = this.#deps;
    const sent = clock.monotonic();
    let next = store.features.beat;
    try {
      const answer = await store.beat(this.#id, clock.now());
      if (this.#closed) return;
      if (clock.monotonic() - sent > store.features.beat) this.#doubtOthers();
      if (answer.alive) this.#renew(sent);
      else await this.#comeBack();
      if (answer.signals.length > 0) this.#deps.signalled(answer.signals);
      this.#deps.beaten();
    } catch (error) {
      next = Math.min(next, REPEAT);
      this.#doubtOthers();
      if (!this.#closed) this.#deps.failed(error);
    } finally {
      this.#beating = false;
      this.#scheduleBeat(next);
    }
  }

  #doubtOthers(): void {
    this.#soundFrom = this.#deps.clock.monotonic() + this.#deps.store.features.lease;
  }

  async #register(): Promise<void> {
    const { store, clock, label, release, types } = this.#deps;
    const sent = clock.monotonic();
    await store.register({ node: this.#id, label, release, types, now: clock.now(), lease: store.features.lease });
    this.#extend(sent);
  }

  #renew(sent: number): void {
    this.#extend(sent);
    if (this.#held) return;
    this.#held = true;
    this.#deps.logger.warn(
      { event: "lease_regained", node: this.#id },
      "the ledger answers again and nobody took this node's tasks",
    );
    this.#deps.regained();
  }

  async #comeBack(): Promise<void> {
    const { logger } = this.#deps;
    const before = this.#id;
    this.#lose("declared_dead");
    this.#id = this.#freshId();
    await this.#register();
    this.#held = true;
    logger.warn({ event: "lease_regained", node: this.#id, before }, "this node goes on as a fresh incarnation");
    this.#deps.regained();
  }

  #extend(sent: number): void {
    const { clock, timers, store } = this.#deps;
    this.#deadline = localDeadline(sent, store.features.lease);
    timers.cancel(this.#deadlineTimer);
    this.#deadlineTimer = timers.after(this.#deadline - clock.monotonic(), {
      timerFired: () => {
        if (!this.valid) this.#lose("expired");
      },
    });
  }

  #lose(ground: "expired" | "declared_dead"): void {
    const { logger, lost } = this.#deps;
    const first = this.#held;
    this.#held = false;
    if (!first && ground === "expired") return;
    const why = ground === "expired" ? "no beat reached the ledger in time" : "other nodes declared it dead";
    logger.error(
      { event: "lease_lost", node: this.#id, ground },
      `this node lost its lease: ${why}; its handlers are told to stop`,
    );
    lost(ground);
  }

  #scheduleBeat(ms: number): void {
    if (this.#closed) return;
    this.#deps.timers.cancel(this.#beatTimer);
    this.#beatTimer = this.#deps.timers.after(ms, { timerFired: () => void this.beat() });
  }

  #freshId(): NodeId {
    return nodeId(this.#ids.requestId(this.#deps.clock.now()));
  }
}
