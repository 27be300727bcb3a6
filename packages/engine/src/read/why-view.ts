import {
  capOf,
  explain,
  laneUnder,
  type RefusedAnswer,
  type TaskRecord,
  toIso,
  viewOf,
  type WhyFacts,
  type WhyHolder,
  type WhyPause,
  type WhyPosition,
  type WhyQueue,
  type WhyType,
} from "@giveway/kernel";
import type { NodeRecord, SettingOverride, TaskHistory } from "@giveway/store";
import type { WhyView } from "../api.ts";
import { overrideValue } from "../config/overrides.ts";
import type { EngineParts } from "../parts.ts";
import { attemptViews } from "./attempt-view.ts";
import { isAlive } from "./node-views.ts";
import { settingsOf } from "./queue-facts.ts";
import { isReady, retriesGranted } from "./task-view.ts";

/** How far positions are counted. */
export const POSITION_LIMIT = 1_000;

/** Gathers what is recorded about a task and lets the kernel explain it (section 12). */
export async function whyView(
  parts: EngineParts,
  history: TaskHistory,
  refused: readonly RefusedAnswer[],
): Promise<WhyView> {
  const { task, attempts } = history;
  const now = parts.clock.now();
  const facts = await gather(parts, history, refused, now);
  const { reasons, position, weight, estimate } = explain(facts);
  return {
    id: task.id,
    state: task.state,
    view: viewOf(task, now),
    reasons,
    ...(position === null ? {} : { position }),
    ...(weight === null ? {} : { weight }),
    ...(estimate === null ? {} : { estimate: toIso(Math.ceil(estimate)) }),
    attempts: attemptViews(task, attempts),
  };
}

async function gather(
  parts: EngineParts,
  { task, attempts, changes }: TaskHistory,
  refused: readonly RefusedAnswer[],
  now: number,
): Promise<WhyFacts> {
  const { store, dispatch } = parts;
  const [nodes, overrides, queue, position] = await Promise.all([
    store.nodes(),
    store.overrides(),
    queueFacts(parts, task),
    positionOf(parts, task, now),
  ]);
  const alive = nodes.filter(isAlive);
  return {
    now,
    task,
    attempts,
    changes,
    refused,
    queue: queue === null ? null : { ...queue, paused: pauseOf(overrides, "queue", task.queue) },
    type: typeFacts(parts, task, overrides),
    nodes: {
      alive: alive.length,
      knowing: alive.filter(({ types }) => types.includes(task.type)).length,
      dispatching: dispatch.dispatching,
    },
    position,
    maxRetries: retriesGranted(parts, task),
    holder: holderOf(nodes, task),
    local: dispatch.local(task.id),
  };
}

/** Null where the queue is not known here: nothing can be said about its slots. */
async function queueFacts(parts: EngineParts, task: TaskRecord): Promise<Omit<WhyQueue, "paused"> | null> {
  if (task.state !== "waiting" || !parts.config.queues.has(task.queue)) return null;
  const { dispatch, store } = parts;
  const { policy, steps, slots, burst, burstFor, share } = settingsOf(parts, task.queue);
  const depths = (await store.depths()).filter(({ queue }) => queue === task.queue);
  return {
    policy,
    steps,
    slots,
    burst,
    burstFor,
    cap: capOf({ slots, share }),
    usage: dispatch.usage(task.queue),
    standardWaits: depths.some(({ weight, ready }) => ready > 0 && laneUnder(policy, weight) === "standard"),
    meanRun: dispatch.pace(task.queue)?.meanRun ?? null,
  };
}

function typeFacts({ dispatch }: EngineParts, task: TaskRecord, overrides: readonly SettingOverride[]): WhyType | null {
  const state = dispatch.typeState(task.type);
  if (state === null) return null;
  const { running, bound, zombies, stopped } = state;
  return { paused: pauseOf(overrides, "type", task.type), running, bound, zombies, stopped };
}

function pauseOf(overrides: readonly SettingOverride[], scope: "queue" | "type", name: string): WhyPause | null {
  const row = overrides.find((each) => each.scope === scope && each.name === name && each.key === "paused");
  if (row === undefined || row.value === null || overrideValue(row.value) !== true) return null;
  return { by: row.by, at: row.at };
}

/** Its place among all ready tasks of its lane, whatever their types; null unless it is ready itself. */
async function positionOf(
  { store, dispatch, config }: EngineParts,
  task: TaskRecord,
  now: number,
): Promise<WhyPosition | null> {
  if (!isReady(task)) return null;
  const { policy, lanes } = settingsOf({ dispatch, config }, task.queue);
  const upcoming = await store.upcoming({ queue: task.queue, lanes, types: null, limit: POSITION_LIMIT, now });
  const lane = laneUnder(policy, task.weight);
  const ahead = upcoming[lane].findIndex(({ id }) => id === task.id);
  return {
    ahead: ahead === -1 ? upcoming[lane].length : ahead,
    express: lane === "standard" ? upcoming.express.length : 0,
    limit: POSITION_LIMIT,
  };
}

function holderOf(nodes: readonly NodeRecord[], task: TaskRecord): WhyHolder | null {
  const node = task.state === "running" ? nodes.find((each) => each.node === task.node) : undefined;
  if (node === undefined) return null;
  const { label, lease, declaredDead, provenDead } = node;
  return { id: node.node, label, silence: Math.max(0, node.clock - node.lastBeat), lease, declaredDead, provenDead };
}
