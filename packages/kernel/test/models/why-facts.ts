import type { AttemptRecord, ChangeRecord, TaskRecord, WhyFacts, WhyHolder, WhyQueue, WhyType } from "@giveway/kernel";
import { nodeId } from "@giveway/kernel";
import { START, taskWith } from "./tasks.ts";

/** Ten seconds after the tests' task was submitted. */
export const NOW = START + 10_000;

export const freeQueue: WhyQueue = {
  policy: "express",
  steps: { standard: 5_000, express: 1_000 },
  paused: null,
  slots: 4,
  burst: 8,
  burstFor: "express",
  cap: 2,
  usage: { express: 0, standard: 0, burst: 0 },
  standardWaits: true,
  meanRun: 1_000,
};

export const openType: WhyType = { paused: null, running: 0, bound: 3, zombies: 0, stopped: false };

export const healthyHolder: WhyHolder = {
  id: "n1",
  label: "shop-1:4242",
  silence: 2_000,
  lease: 60_000,
  declaredDead: false,
  provenDead: false,
};

/** A ready task that nothing blocks, on a node that knows all about it; with what a case changes. */
export function factsWith(task: Partial<TaskRecord> = {}, changes: Partial<WhyFacts> = {}): WhyFacts {
  return {
    now: NOW,
    task: taskWith(task),
    attempts: [],
    changes: [],
    refused: [],
    queue: freeQueue,
    type: openType,
    nodes: { alive: 1, knowing: 1, dispatching: true },
    position: { ahead: 0, express: 0, limit: 1_000 },
    maxRetries: 3,
    holder: null,
    local: null,
    ...changes,
  };
}

export function queueWith(changes: Partial<WhyQueue>): WhyQueue {
  return { ...freeQueue, ...changes };
}

export function attemptWith(
  attempt: number,
  outcome: AttemptRecord["outcome"],
  changes: Partial<AttemptRecord> = {},
): AttemptRecord {
  return {
    attempt,
    outcome,
    node: nodeId("n1"),
    startedAt: START + attempt * 1_000,
    endedAt: outcome === null ? null : START + attempt * 1_000 + 500,
    error: null,
    log: [],
    ...changes,
  };
}

export function changeWith(kind: ChangeRecord["kind"], at: number): ChangeRecord {
  return { at, by: "ann", kind, before: null, after: null, cause: "call from the shop" };
}
