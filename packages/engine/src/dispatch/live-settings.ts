import type { QueueName } from "@giveway/kernel";
import type { SettingOverride, TaskStore } from "@giveway/store";
import type { CompiledConfig } from "../config/compile-config.ts";
import { applyOverrides, pausedTypes } from "../config/overrides.ts";
import type { TypePool } from "../pools/type-pool.ts";
import type { TimerService } from "../time/timer-service.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

export interface LiveSettingsDeps {
  readonly store: TaskStore;
  readonly config: CompiledConfig;
  readonly timers: TimerService;
  readonly queues: ReadonlyMap<QueueName, QueueRuntime>;
  readonly pools: Iterable<TypePool>;
  readonly failed: (error: unknown) => void;
}

/** Other processes' writes are looked through for settings no more often than this, ms. */
const LOOK_EVERY = 250;

/** Settings in force: code, then the overrides in the ledger, which every node obeys and which outlive restarts (V-12). */
export class LiveSettings {
  readonly #deps: LiveSettingsDeps;
  #read = "";
  #reading: Promise<void> | null = null;
  #readAgain = false;
  #resting = false;
  #wanted = false;

  constructor(deps: LiveSettingsDeps) {
    this.#deps = deps;
  }

  /** Reads and applies them. A call during a read leads to another one, so that it sees what was written before it. */
  refresh(): Promise<void> {
    if (this.#reading !== null) {
      this.#readAgain = true;
      return this.#reading;
    }
    this.#reading = this.#readAll().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Another process wrote something: look soon, but not at each of its commits. */
  refreshSoon(): void {
    if (this.#resting) {
      this.#wanted = true;
      return;
    }
    this.#resting = true;
    this.#deps.timers.after(LOOK_EVERY, {
      timerFired: () => {
        this.#resting = false;
        if (!this.#wanted) return;
        this.#wanted = false;
        this.refreshSoon();
      },
    });
    this.refresh().catch(this.#deps.failed);
  }

  async #readAll(): Promise<void> {
    do {
      this.#readAgain = false;
      this.#apply(await this.#deps.store.overrides());
    } while (this.#readAgain);
  }

  #apply(overrides: readonly SettingOverride[]): void {
    const read = JSON.stringify(overrides);
    if (read === this.#read) return;
    this.#read = read;
    const { config, queues, pools } = this.#deps;
    for (const [name, queue] of queues) {
      const base = config.queues.get(name);
      if (base !== undefined) queue.configure(applyOverrides(base, overrides));
    }
    const paused = pausedTypes(overrides);
    for (const pool of pools) pool.pause(paused.has(pool.type));
    this.configurePools();
    for (const queue of queues.values()) queue.returnPaused();
  }

  /** Type bounds follow the slots of their queues. */
  configurePools(): void {
    const { queues, pools } = this.#deps;
    const types = new Map<QueueName, number>();
    for (const { compiled } of pools) types.set(compiled.queue, (types.get(compiled.queue) ?? 0) + 1);
    for (const pool of pools) {
      const slots = queues.get(pool.compiled.queue)?.settings.slots ?? 1;
      pool.configure(slots, types.get(pool.compiled.queue) ?? 1);
    }
  }
}
