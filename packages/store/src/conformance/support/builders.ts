import {
  type AgingSteps,
  DEFAULT_STEPS,
  laneOrders,
  nodeId,
  type Policy,
  queueName,
  type RunFacts,
  type StoredError,
  type TaskId,
  typeName,
} from "@giveway/kernel";
import type { ClaimedTask, ClaimLane, NewTask, NodeRegistration, OpenType } from "../../task-store.ts";

/** Where the tests' clock begins. */
export const T0 = 1_750_000_000_000;
export const MAIN = queueName("main");
export const WORK = typeName("work");
export const N1 = nodeId("node-1");
export const N2 = nodeId("node-2");

export const BROKEN: StoredError = { name: "Error", message: "it broke", code: "EBROKEN", retryable: true };

export function newTask(id: string, more: Partial<NewTask> = {}): NewTask {
  return {
    id: id as TaskId,
    type: WORK,
    queue: MAIN,
    name: null,
    weight: 5,
    payload: '{"n":1}',
    overrides: {},
    requestId: `request-${id}`,
    rerunOf: null,
    dueAt: T0,
    handOff: null,
    ...more,
  };
}

/** The lanes of a policy with limits for each; `direct` where not given: all of them. */
export function lanesOf(
  limits: { readonly express?: number; readonly standard?: number },
  direct: { readonly express?: number; readonly standard?: number } = limits,
  policy: Policy = "express",
  steps: AgingSteps = DEFAULT_STEPS,
): ClaimLane[] {
  return laneOrders(policy, steps).map((order) => ({
    order,
    limit: limits[order.lane] ?? 0,
    direct: direct[order.lane] ?? 0,
  }));
}

/** Types without a bound and with plenty of room. */
export function openTypes(...names: readonly string[]): OpenType[] {
  return names.map((name) => ({ type: typeName(name), room: 1_000_000, bound: null }));
}

export function registration(node: string, now: number, more: Partial<NodeRegistration> = {}): NodeRegistration {
  return { node: nodeId(node), label: `the ${node}`, release: "1.0.0", types: [WORK], now, lease: 15_000, ...more };
}

/** What the engine knows of a claimed task when it settles it. */
export function runOf(task: ClaimedTask, now: number, more: Partial<RunFacts> = {}): RunFacts {
  return {
    attempt: task.attempt,
    started: task.started,
    failures: task.failures,
    losses: task.losses,
    noPrefetch: task.noPrefetch,
    dueAt: task.dueAt,
    startedAt: task.started ? now : null,
    now,
    log: [],
    checkpoint: task.checkpoint,
    ...more,
  };
}
