import type { AgingSteps, Policy } from "../priority/policy.ts";
import type { AttemptRecord, ChangeRecord, TaskRecord } from "../task.ts";

/**
 * What `explain` is told: plain data, gathered by the engine from the ledger and its own node. Nothing here is a guess; what the asking node
 * can't know is null, and the explanation then leaves it out. All times are ms since 1970 unless said otherwise.
 */
export interface WhyFacts {
  readonly now: number;
  readonly task: TaskRecord;
  /** Oldest first; the last attempt included. */
  readonly attempts: readonly AttemptRecord[];
  readonly changes: readonly ChangeRecord[];
  /** Answers that came too late and were refused, as far as this node saw them. */
  readonly refused: readonly RefusedAnswer[];
  /** The queue as this node knows it; null where it doesn't serve it. */
  readonly queue: WhyQueue | null;
  /** The type as this node knows it; null where it has no handler for it. */
  readonly type: WhyType | null;
  readonly nodes: WhyNodes;
  /** Where the task stands in its lane; null unless it waits and is ready. */
  readonly position: WhyPosition | null;
  /** Retries its schedule grants; null where not known. */
  readonly maxRetries: number | null;
  /** The node that holds it while it runs; null where it is unknown to the ledger. */
  readonly holder: WhyHolder | null;
  /** Where it stands on this node beyond its row; null where it isn't here. */
  readonly local: WhyLocal | null;
}

export interface RefusedAnswer {
  readonly at: number;
  /** Null where its number isn't known. */
  readonly attempt: number | null;
  readonly outcome: string;
}

/** Who paused it and when. */
export interface WhyPause {
  readonly by: string;
  readonly at: number;
}

export interface WhyQueue {
  readonly policy: Policy;
  readonly steps: AgingSteps;
  readonly paused: WhyPause | null;
  readonly slots: number;
  /** Burst included, never below `slots`. */
  readonly burst: number;
  readonly burstFor: "express" | "all";
  /** Base slots that express may hold while standard work waits. */
  readonly cap: number;
  /** Slots held now: base ones per lane, and those of the burst. */
  readonly usage: { readonly express: number; readonly standard: number; readonly burst: number };
  /** Whether ready standard work waits. */
  readonly standardWaits: boolean;
  /** Measured mean run time in ms; null before the first end. */
  readonly meanRun: number | null;
}

export interface WhyType {
  readonly paused: WhyPause | null;
  readonly running: number;
  /** The bound in force on this node. */
  readonly bound: number;
  readonly zombies: number;
  /** Zombies fill its slots: it isn't started on this node any more. */
  readonly stopped: boolean;
}

export interface WhyNodes {
  /** Nodes whose lease holds. */
  readonly alive: number;
  /** Those of them that have a handler for the type. */
  readonly knowing: number;
  /** Whether this node dispatches. */
  readonly dispatching: boolean;
}

export interface WhyPosition {
  /** Ready tasks of its lane that start before it, exact up to `limit`. */
  readonly ahead: number;
  /** For a standard task: express tasks that wait, exact up to `limit`; else 0. */
  readonly express: number;
  /** Where counting stopped. */
  readonly limit: number;
}

export interface WhyHolder {
  readonly id: string;
  readonly label: string;
  /** ms since its last beat, by the ledger's lease clock. */
  readonly silence: number;
  /** ms */
  readonly lease: number;
  readonly declaredDead: boolean;
  readonly provenDead: boolean;
}

export interface WhyLocal {
  readonly phase: "prefetched" | "running" | "settling" | "zombie";
  readonly startedAt: number | null;
  readonly timeoutAt: number | null;
}
