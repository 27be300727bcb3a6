import type { ChangeDecision } from "../change.ts";
import type { TaskRecord } from "../task.ts";
import { moveOf } from "../task-state.ts";
import { type ChangeActor, recordOf, SYSTEM, targetOf, wrongState } from "./actor.ts";

/**
 * Cancels a task that waits or runs (V-11). It is cancelled from the moment this is written; a handler that still runs is signalled, and
 * whatever it reports later is refused. An attempt recorded as started ends as `cancelled`. Throws `wrong_state` for ended ones.
 */
export function decideCancel(task: TaskRecord, now: number, actor: ChangeActor): ChangeDecision {
  const state = targetOf(task, "cancel", "cancelled");
  const running = task.state === "running";
  return {
    patch: {
      state,
      endedAt: now,
      endReason: "by_hand",
      ...(running && task.startedAt !== null ? { lastOutcome: "cancelled" } : {}),
    },
    record: recordOf("cancelled", actor, now, JSON.stringify(task.state), JSON.stringify(state)),
    archive: false,
    signal: running ? "cancelled" : null,
  };
}

/** Whether a task's `expires` has passed before its first start (section 3). A started task never expires. */
export function hasExpired(task: Pick<TaskRecord, "attempt" | "overrides">, now: number): boolean {
  return task.attempt === 0 && task.overrides.expires !== undefined && task.overrides.expires <= now;
}

/** Ends a waiting task whose `expires` passed; null where it hasn't, or where it was started. */
export function decideExpire(task: TaskRecord, now: number): ChangeDecision | null {
  const state = targetOf(task, "expire", "expired");
  if (task.state !== "waiting" || !hasExpired(task, now)) return null;
  return {
    patch: { state, endedAt: now, endReason: "expired" },
    record: recordOf("expired", SYSTEM, now, JSON.stringify(task.state), JSON.stringify(state)),
    archive: false,
    signal: null,
  };
}

/** Throws `wrong_state` unless the task may be deleted: any state but running. */
export function assertRemovable(task: Pick<TaskRecord, "id" | "state">): void {
  if (moveOf(task.state, "remove") !== "removed") throw wrongState(task, "removed", "; cancel it first");
}
