import { type AttemptRecord, type ChangeRecord, type TaskRecord, toIso } from "@giveway/kernel";
import type { AttemptView, ChangeView } from "../api.ts";
import { isoOrNull, jsonValue } from "./task-view.ts";

/** The attempts as people see them; the last of a running task is `running`. */
export function attemptViews(task: TaskRecord, attempts: readonly AttemptRecord[]): readonly AttemptView[] {
  return attempts.map((attempt, index) => {
    const isPresent = index === attempts.length - 1 && task.state === "running" && attempt.outcome === null;
    return {
      attempt: attempt.attempt,
      outcome: isPresent ? "running" : attempt.outcome,
      node: attempt.node,
      startedAt: isoOrNull(attempt.startedAt),
      endedAt: isoOrNull(attempt.endedAt),
      error: attempt.error,
      log: attempt.log.map(({ at, level, text }) => ({ at: toIso(at), level, text })),
    };
  });
}

export function changeView(change: ChangeRecord): ChangeView {
  const { at, by, kind, before, after, cause } = change;
  return { at: toIso(at), by, kind, before: jsonValue(before), after: jsonValue(after), cause };
}
