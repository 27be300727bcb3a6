import { type Random, seededRandom } from "@giveway/kernel";
import type { TaskStore } from "@giveway/store";
import { MemoryLedger, type MemoryStoreOptions } from "@giveway/store/memory";
import {
  createEngine,
  type EngineOptions,
  type HandlerContext,
  type QueueOptions,
  type Scheduler,
  type StopReport,
  type TaskEventView,
  type TaskType,
  VirtualClock,
} from "../../src/index.ts";
import { keepingLogger } from "./logger.ts";
import { type Link, linkTo } from "./store-link.ts";

export type Payload = Readonly<Record<string, unknown>>;

export interface NodeOptions
  extends Partial<Pick<EngineOptions, "stopTimeout" | "label" | "allowUnknownTypes" | "maxPayload" | "logFigures">> {
  readonly tasks: readonly TaskType[];
  readonly queues?: Readonly<Record<string, QueueOptions>>;
}

export interface Node {
  readonly engine: Scheduler;
  readonly link: Link;
  readonly logger: ReturnType<typeof keepingLogger>;
  readonly events: TaskEventView[];
  /** The node is gone from one moment to the next, as by SIGKILL; the ledger can prove it where `proven`. */
  kill(): void;
  eventsOf(id: string): readonly string[];
}

/** One ledger, one clock that the test moves, and any number of nodes. */
export class World {
  readonly clock: VirtualClock;
  readonly ledger: MemoryLedger;
  readonly random: Random;
  /** Ids in order of their starts, over all nodes. */
  readonly starts: string[] = [];

  constructor(seed = 1) {
    this.clock = new VirtualClock();
    this.ledger = new MemoryLedger();
    this.random = seededRandom(seed);
  }

  node(options: NodeOptions, store: Partial<MemoryStoreOptions> = {}): Node {
    const connection: TaskStore = this.ledger.connect({ ...store });
    const link = linkTo(connection);
    const logger = keepingLogger();
    const engine = createEngine({
      logFigures: 0,
      ...options,
      store: link.store,
      clock: this.clock,
      random: this.random,
      logger,
    });
    const events: TaskEventView[] = [];
    engine.subscribe((event) => events.push(event));
    return {
      engine,
      link,
      logger,
      events,
      kill: () => link.cut(),
      eventsOf: (id) => events.filter(({ task }) => task === id).map(({ kind }) => kind),
    };
  }

  async started(options: NodeOptions, store: Partial<MemoryStoreOptions> = {}): Promise<Node> {
    const node = this.node(options, store);
    await node.engine.start();
    return node;
  }

  /** A type whose handler notes its start and takes `payload.ms` of virtual time. */
  sleeper(type = "sleep", more: Partial<TaskType> = {}): TaskType {
    return {
      type,
      ...more,
      run: async (payload: Payload, ctx: HandlerContext) => {
        this.starts.push(ctx.id);
        const ms = typeof payload["ms"] === "number" ? payload["ms"] : 0;
        if (ms > 0) await this.clock.sleep(ms, ctx.signal);
        return { slept: ms };
      },
    };
  }

  /** A type with a handler of the test's own. */
  type(name: string, run: (payload: Payload, ctx: HandlerContext) => unknown, more: Partial<TaskType> = {}): TaskType {
    return {
      type: name,
      ...more,
      run: (payload: Payload, ctx: HandlerContext) => {
        this.starts.push(ctx.id);
        return run(payload, ctx);
      },
    };
  }

  /** Stops a node, letting as much time pass as its handlers take. */
  async stop({ engine }: Pick<Node, "engine">): Promise<StopReport> {
    let report: StopReport | null = null;
    const stopping = engine.stop().then((answer) => {
      report = answer;
    });
    await this.clock.advanceUntil(() => report !== null, 60_000);
    await stopping;
    return report ?? { finished: 0, released: 0, abandoned: 0 };
  }

  /** Lets everything that needs no time happen. */
  settle(): Promise<void> {
    return this.clock.settle();
  }
}

export const forever = (): Promise<never> => new Promise(() => undefined);
