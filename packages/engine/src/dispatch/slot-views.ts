import { type Clock, type QueueName, type TaskId, toIso } from "@giveway/kernel";
import type { SlotView } from "../api.ts";
import type { Attempt } from "../pools/attempt.ts";
import type { LocalFacts } from "../ports.ts";
import type { QueueRuntime } from "./queue-runtime.ts";

/** What each slot of the node does, zombies after the rest. */
export function slotViews(live: Iterable<Attempt>, clock: Clock): SlotView[] {
  const views = [...live].map((attempt) => slotView(attempt, clock));
  return views.sort((one, other) => Number(one.kind === "zombie") - Number(other.kind === "zombie"));
}

function slotView(attempt: Attempt, clock: Clock): SlotView {
  const { task, number, weight, startedAt, zombie, admission, cause } = attempt;
  return {
    queue: task.queue,
    kind: zombie ? "zombie" : admission.slot,
    task: task.id,
    type: task.type,
    name: task.name,
    weight,
    attempt: number,
    startedAt: toIso(startedAt),
    timeoutAt: zombie ? null : toIso(timeoutAt(attempt, clock)),
    settling: cause === "cancelled",
  };
}

/** Time-outs follow the monotonic clock; shown is what that is on the wall clock now. */
function timeoutAt(attempt: Attempt, clock: Clock): number {
  return Math.round(clock.now() + attempt.timeoutAt - clock.monotonic());
}

/** Where a task stands on this node, or null. An attempt that holds a slot is told before a zombie of an earlier one. */
export function localFacts(
  id: TaskId,
  live: Iterable<Attempt>,
  queues: ReadonlyMap<QueueName, QueueRuntime>,
  clock: Clock,
): LocalFacts | null {
  const attempts = [...live].filter(({ task }) => task.id === id);
  const attempt = attempts.find(({ zombie }) => !zombie);
  if (attempt !== undefined) return attemptFacts(attempt, clock);
  for (const { window } of queues.values()) {
    const task = window.find(id);
    if (task === null) continue;
    return { key: task.key, fence: task.fence, phase: "prefetched", startedAt: null, timeoutAt: null };
  }
  return attempts[0] === undefined ? null : attemptFacts(attempts[0], clock);
}

function attemptFacts(attempt: Attempt, clock: Clock): LocalFacts {
  const { task, startedAt, zombie, cause } = attempt;
  const phase = zombie ? "zombie" : cause === "cancelled" ? "settling" : "running";
  return { key: task.key, fence: task.fence, phase, startedAt, timeoutAt: zombie ? null : timeoutAt(attempt, clock) };
}
