import {
  type Clock,
  DEFAULT_RETRY,
  mayTakeOver,
  type NodeId,
  settleLost,
  type TakeOverGround,
  type TaskRecord,
} from "@giveway/kernel";
import type { NodeRecord, TaskStore } from "@giveway/store";
import type { Logger } from "../api.ts";
import type { CompiledConfig } from "../config/compile-config.ts";
import { retriesOf } from "../pools/failure.ts";
import { Finish, type FinishOwner } from "../pools/finish.ts";
import type { EventSink } from "../ports.ts";

export interface TakeOverDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly config: CompiledConfig;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly owner: FinishOwner;
  /** Whether this node's own lease is healthy enough to judge others by their beats. */
  readonly trusted: () => boolean;
}

/** Tasks in one page: what one commit carries beside others. */
const PAGE = 500;

/**
 * # Recovery (C9, C10, section 11)
 *
 * Takes over what dead nodes held, at start and then with each beat. A node is dead where its process is proven dead, or where its lease expired and no
 * beat came since: it is then declared dead in a write that its own beat would have refused. Only after that its tasks are settled, page by
 * page, and the node is forgotten once it holds nothing. Any node may do this at any time, several at once: every settlement is guarded by
 * the task's fence, so each task is taken once.
 *
 * A node whose own beats fail doesn't judge others by a lease: what looks like their silence may be its own deafness. A proven death needs no lease.
 */
export class TakeOver {
  readonly #deps: TakeOverDeps;
  #sweeping: Promise<void> | null = null;

  constructor(deps: TakeOverDeps) {
    this.#deps = deps;
  }

  /** Takes over from every node that is dead. Calls while one is under way share it. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = null;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    for (const node of await this.#deps.store.nodes()) {
      const ground = mayTakeOver(node);
      if (ground === null || (ground === "lease_expired" && !this.#deps.trusted())) continue;
      await this.#takeOver(node, ground);
    }
  }

  async #takeOver(node: NodeRecord, ground: TakeOverGround): Promise<void> {
    const { store, logger } = this.#deps;
    if (!node.declaredDead && !(await store.declareDead(node.node, node.lastBeat))) return;
    const taken = await this.#settleAll(node.node);
    await store.forget(node.node);
    const fields = { event: "took_over", node: node.node, label: node.label, ground, tasks: taken };
    logger.warn(fields, `node ${node.label} is dead (${ground}); ${taken} of its tasks were taken over`);
  }

  async #settleAll(node: NodeId): Promise<number> {
    const { store } = this.#deps;
    let taken = 0;
    for (;;) {
      const held = await store.held(node, PAGE);
      if (held.length === 0) return taken;
      const applied = await this.#settlePage(held);
      taken += applied;
      // Every one was refused: another node takes them at this moment, and will forget the dead one.
      if (applied === 0) return taken;
    }
  }

  async #settlePage(held: readonly TaskRecord[]): Promise<number> {
    const { store, clock, events } = this.#deps;
    const now = clock.now();
    const finishes = held.map((task) => this.#finishOf(task, now));
    const outcomes = await store.settle(finishes, now);
    let applied = 0;
    for (const [index, finish] of finishes.entries()) {
      const outcome = outcomes[index];
      // A refusal is no late answer here: another node was first.
      if (outcome?.kind !== "applied") continue;
      applied += 1;
      finish.report(outcome, now, events);
    }
    return applied;
  }

  #finishOf(task: TaskRecord, now: number): Finish {
    const type = this.#deps.config.types.get(task.type);
    const retries = retriesOf(task.overrides.retry, type?.retry, DEFAULT_RETRY);
    const { key, id, type: name, queue, weight, attempt } = task;
    return new Finish(
      {
        claim: task,
        facts: { key, id, type: name, queue, name: task.name, weight, attempt },
        settlement: settleLost(task, retries, now),
        run: task.startedAt === null ? 0 : Math.max(0, now - task.startedAt),
      },
      this.#deps.owner,
    );
  }
}
