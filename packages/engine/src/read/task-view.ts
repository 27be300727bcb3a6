import { effectiveWeight, type JsonText, maxRetries, type TaskRecord, toIso, viewOf } from "@giveway/kernel";
import type { Json, TaskView } from "../api.ts";
import type { EngineParts } from "../parts.ts";
import { laneFacts, settingsOf } from "./queue-facts.ts";

type ViewParts = Pick<EngineParts, "config" | "dispatch">;

/** A task as people see it at `now`. */
export function taskView(parts: ViewParts, task: TaskRecord, now: number): TaskView {
  const { lane, ranking } = laneFacts(settingsOf(parts, task.queue), task.weight);
  const { deadline, expires, tags } = task.overrides;
  return {
    id: task.id,
    name: task.name,
    type: task.type,
    queue: task.queue,
    state: task.state,
    view: viewOf(task, now),
    settling: isSettling(parts, task),
    weight: task.weight,
    effectiveWeight:
      isReady(task) && ranking.kind !== "fifo"
        ? effectiveWeight(ranking, task.weight, task.since ?? now, now)
        : task.weight,
    lane,
    attempt: task.attempt,
    retries: task.failures,
    maxRetries: retriesGranted(parts, task),
    payload: jsonValue(task.payload),
    result: jsonValue(task.result),
    progress: jsonValue(task.progress),
    lastError: task.lastError,
    lastOutcome: task.lastOutcome,
    endReason: task.endReason,
    requestId: task.requestId,
    rerunOf: task.rerunOf,
    tags: tags ?? [],
    node: task.node,
    createdAt: toIso(task.createdAt),
    updatedAt: toIso(task.updatedAt),
    dueAt: toIso(task.dueAt),
    startedAt: isoOrNull(task.startedAt),
    endedAt: isoOrNull(task.endedAt),
    deadline: isoOrNull(deadline ?? null),
    expires: isoOrNull(expires ?? null),
  };
}

/** Waits and has its place in the order; only then does its weight grow. */
export function isReady(task: TaskRecord): boolean {
  return task.state === "waiting" && task.seq !== null;
}

/** How many retries its schedule grants; null where a function decides, or the type isn't known here. */
export function retriesGranted(parts: Pick<EngineParts, "config">, task: TaskRecord): number | null {
  if (task.overrides.retry !== undefined) return maxRetries(task.overrides.retry);
  const retry = parts.config.types.get(task.type)?.retry;
  return retry === undefined || retry.next !== null ? null : maxRetries(retry.spec);
}

/** Cancelled in the ledger while its handler still holds a slot of this node. */
export function isSettling(parts: Pick<EngineParts, "dispatch">, task: TaskRecord): boolean {
  if (task.state !== "cancelled" || task.startedAt === null) return false;
  const local = parts.dispatch.local(task.id);
  return local !== null && local.key === task.key && local.phase !== "prefetched";
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : toIso(at);
}

export function jsonValue(text: JsonText | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}
