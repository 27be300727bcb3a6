import { capOf, type Lane, laneUnder, type QueueName, type TypeName, toIso } from "@giveway/kernel";
import type { Depth, EndedTotal, SettingOverride } from "@giveway/store";
import type { Json, QueueView } from "../api.ts";
import type { QueueSettings } from "../config/compiled.ts";
import { applyOverrides, overrideValue, pausedTypes } from "../config/overrides.ts";
import type { EngineParts } from "../parts.ts";
import { settingsOf } from "./queue-facts.ts";

/** What the ledger says about all queues, read once for all their views. */
export interface LedgerFacts {
  readonly depths: readonly Depth[];
  readonly totals: readonly EndedTotal[];
  readonly overrides: readonly SettingOverride[];
}

export async function ledgerFacts({ store }: EngineParts): Promise<LedgerFacts> {
  const [depths, totals, overrides] = await Promise.all([store.depths(), store.totals(), store.overrides()]);
  return { depths, totals, overrides };
}

/** All queues known by code or by the ledger, by name. */
export function queueNames({ config }: EngineParts, { depths, totals, overrides }: LedgerFacts): readonly QueueName[] {
  const names = new Set<string>(config.queues.keys());
  for (const { queue } of [...depths, ...totals]) names.add(queue);
  for (const { scope, name } of overrides) if (scope === "queue") names.add(name);
  return [...names].sort() as QueueName[];
}

/** One queue as people see it: settings in force, depth, what its types do on this node, and its bounds. */
export function queueView(parts: EngineParts, name: QueueName, facts: LedgerFacts): QueueView {
  const settings = inForce(parts, name, facts);
  const depths = facts.depths.filter(({ queue }) => queue === name);
  const { order, share } = parts.dispatch.boundBreaches(name);
  return {
    name,
    policy: settings.policy,
    slots: settings.slots,
    burst: settings.burst,
    share: settings.share,
    cap: capOf(settings),
    paused: settings.paused,
    overrides: overrideViews(name, facts.overrides),
    depth: depthView(settings, depths),
    oldestWaiting: {
      express: oldestIn(parts, settings, depths, "express"),
      standard: oldestIn(parts, settings, depths, "standard"),
    },
    types: typeViews(parts, name, facts),
    ended: endedView(name, facts.totals),
    bounds: { order: { breaches: order }, share: { breaches: share } },
  };
}

/** The overrides as just read count, so that a change shows at once, also where this node dispatches nothing. */
function inForce(parts: EngineParts, name: QueueName, { overrides }: LedgerFacts): QueueSettings {
  const base = parts.config.queues.get(name);
  return applyOverrides(base ?? settingsOf(parts, name), overrides);
}

function overrideViews(name: QueueName, overrides: readonly SettingOverride[]): QueueView["overrides"] {
  return overrides
    .filter((row) => row.scope === "queue" && row.name === name && row.value !== null)
    .map(({ key, value, by, at }) => ({ key, value: (overrideValue(value ?? "") ?? null) as Json, by, at: toIso(at) }));
}

function depthView(settings: QueueSettings, depths: readonly Depth[]): QueueView["depth"] {
  const sum = (of: (depth: Depth) => number): number => depths.reduce((all, depth) => all + of(depth), 0);
  const inLane = (lane: Lane): number =>
    sum(({ weight, ready }) => (laneUnder(settings.policy, weight) === lane ? ready : 0));
  const byWeight: Record<string, number> = {};
  for (const { weight, ready } of depths) {
    if (ready > 0) byWeight[String(weight)] = (byWeight[String(weight)] ?? 0) + ready;
  }
  return {
    waiting: sum(({ ready }) => ready),
    delayed: sum(({ delayed }) => delayed),
    running: sum(({ running }) => running),
    express: inLane("express"),
    standard: inLane("standard"),
    byWeight,
  };
}

/** ms that the longest waiter of a lane has been ready. */
function oldestIn(
  { clock }: EngineParts,
  settings: QueueSettings,
  depths: readonly Depth[],
  lane: Lane,
): number | null {
  const since = depths.flatMap(({ weight, oldest }) =>
    oldest !== null && laneUnder(settings.policy, weight) === lane ? [oldest] : [],
  );
  return since.length === 0 ? null : Math.max(0, clock.now() - Math.min(...since));
}

function typeViews(parts: EngineParts, name: QueueName, facts: LedgerFacts): QueueView["types"] {
  const names = new Set<TypeName>();
  for (const compiled of parts.config.types.values()) if (compiled.queue === name) names.add(compiled.type);
  for (const { queue, type } of facts.depths) if (queue === name) names.add(type);
  const paused = pausedTypes(facts.overrides);
  return [...names].sort().map((type) => {
    const state = parts.dispatch.typeState(type);
    return {
      type,
      paused: paused.has(type),
      concurrency: parts.config.types.get(type)?.concurrency ?? null,
      running: state?.running ?? 0,
      zombies: state?.zombies ?? 0,
      stopped: state?.stopped ?? false,
    };
  });
}

function endedView(name: QueueName, totals: readonly EndedTotal[]): QueueView["ended"] {
  const ended = { succeeded: 0, dead: 0, cancelled: 0 };
  for (const { queue, state, count } of totals) if (queue === name) ended[state] += count;
  return ended;
}
