import type { TaskRecord } from "./task.ts";
import type { AttemptOutcome, StoredState, ViewState } from "./task-state.ts";

/**
 * A state filter as data, for stores to translate. All given parts must hold. Filters overlap on purpose: `waiting` finds everything stored
 * as waiting, `delayed` and `retrying` parts of it, and a retry with its due time ahead is in both.
 */
export interface ViewPredicate {
  /** Any of these; an empty list matches nothing. */
  readonly stored: readonly StoredState[];
  /** Whether the due time lies ahead of now, or has come. */
  readonly due?: "ahead" | "past";
  /** Whether the present claim has been recorded as started (`startedAt`). */
  readonly started?: boolean;
  /** How the last attempt ended: any of these. */
  readonly outcomes?: readonly AttemptOutcome[];
  /** A retry has been used. */
  readonly failures?: "some";
}

type ViewFacts = Pick<TaskRecord, "state" | "dueAt" | "failures" | "startedAt" | "lastOutcome">;

/**
 * The finest name for a task at `now` (C2). `failed` and `timed_out` are never shown here: a task whose attempt failed is retrying or dead,
 * and that says more; as filters they find every task whose last attempt ended so.
 */
export function viewOf(task: ViewFacts, now: number): ViewState {
  switch (task.state) {
    case "waiting":
      if (task.failures > 0) return "retrying";
      return task.dueAt > now ? "delayed" : "waiting";
    case "running":
      return task.startedAt === null ? "dispatched" : "running";
    case "succeeded":
    case "dead":
    case "cancelled":
      return task.state;
  }
}

/** What a state name means as a filter. */
export function predicateOf(state: StoredState | ViewState): ViewPredicate {
  switch (state) {
    case "waiting":
    case "running":
    case "succeeded":
    case "dead":
    case "cancelled":
      return { stored: [state] };
    case "delayed":
      return { stored: ["waiting"], due: "ahead" };
    case "retrying":
      return { stored: ["waiting"], failures: "some" };
    case "dispatched":
      return { stored: ["running"], started: false };
    case "suspended":
      // Giving way in place is known to the node alone; the ledger holds such a task as running.
      return { stored: [] };
    case "failed":
      return { stored: ["waiting", "dead", "cancelled"], outcomes: ["failed"] };
    case "timed_out":
      return { stored: ["waiting", "dead", "cancelled"], outcomes: ["timed_out"] };
  }
}

/** Whether a task matches: the same rule for ledgers that run code beside their rows, and the model for those that don't. */
export function matches(predicate: ViewPredicate, task: ViewFacts, now: number): boolean {
  if (!predicate.stored.includes(task.state)) return false;
  if (predicate.due !== undefined && task.dueAt > now !== (predicate.due === "ahead")) return false;
  if (predicate.started !== undefined && (task.startedAt !== null) !== predicate.started) return false;
  if (predicate.outcomes !== undefined && !predicate.outcomes.some((outcome) => outcome === task.lastOutcome)) {
    return false;
  }
  return predicate.failures === undefined || task.failures > 0;
}
