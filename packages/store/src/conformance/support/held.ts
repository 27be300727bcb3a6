import { expect } from "vitest";
import type { ClaimedTask } from "../../task-store.ts";
import { lanesOf, T0 } from "./builders.ts";
import type { Subject } from "./subject.ts";

export const LOG = [{ at: T0, level: "warn", text: "careful" }] as const;

/** A fresh task that was claimed and has started. */
export async function running(s: Subject, id = "a"): Promise<ClaimedTask> {
  await s.ready(id);
  return s.claimOne();
}

/** A fresh task that was claimed and not started. */
export async function prefetched(s: Subject, id = "a"): Promise<ClaimedTask> {
  await s.ready(id);
  const { tasks } = await s.claim({ lanes: lanesOf({ standard: 1 }, {}) });
  expect(tasks).toHaveLength(1);
  return tasks[0] as ClaimedTask;
}
