import { type Lane, laneUnder, type QueueName, type Ranking, type Weight } from "@giveway/kernel";
import { Checks } from "../config/checks.ts";
import { compileQueue, DEFAULT_SHARE } from "../config/compile-queue.ts";
import type { QueueSettings } from "../config/compiled.ts";
import type { EngineParts } from "../parts.ts";

const checks = new Checks("invalid_config");

/**
 * The settings a queue has on this node: live ones where it is served here, those by code where the node only submits, and the defaults for
 * a queue that only other nodes know, whose real settings this node can't see.
 */
export function settingsOf(parts: Pick<EngineParts, "config" | "dispatch">, queue: QueueName): QueueSettings {
  return parts.dispatch.settingsOf(queue) ?? parts.config.queues.get(queue) ?? defaultsFor(queue);
}

function defaultsFor(queue: QueueName): QueueSettings {
  return compileQueue(checks, queue, { share: DEFAULT_SHARE }, `queues.${queue}`);
}

/** The lane a weight is served in, and how its heads compare there. */
export function laneFacts(settings: QueueSettings, weight: Weight): { readonly lane: Lane; readonly ranking: Ranking } {
  const lane = laneUnder(settings.policy, weight);
  const ranking = settings.lanes.find((order) => order.lane === lane)?.ranking ?? { kind: "fixed" };
  return { lane, ranking };
}
