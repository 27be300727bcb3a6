import type { Clock, NodeId, Random } from "@giveway/kernel";
import type { TaskStore } from "@giveway/store";
import type { CompiledConfig } from "./config/compile-config.ts";
import type { DispatchPort, EventSink } from "./ports.ts";

/** What submits, changes and reads are made of; the composition root fills it in once. */
export interface EngineParts {
  readonly config: CompiledConfig;
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly nodeId: NodeId;
  readonly dispatch: DispatchPort;
  readonly sink: EventSink;
}
