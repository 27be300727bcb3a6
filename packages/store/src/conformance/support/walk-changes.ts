import {
  type ChangeDecision,
  decideCancel,
  decideEdit,
  decideExpire,
  decideReplace,
  decideRerun,
  GivewayError,
  SYSTEM,
  type TaskRecord,
  type Weight,
} from "@giveway/kernel";
import { BROKEN } from "./builders.ts";
import { chance, oneOf, upTo } from "./dice.ts";
import type { Walk } from "./walk-steps.ts";

/** A change that the kernel allows on a task in this state, or now and then a bare patch; null where it allows none of what was picked. */
export function randomChange(walk: Walk, task: TaskRecord): ChangeDecision | null {
  const { random, now } = walk;
  const actor = chance(random, 0.5) ? SYSTEM : { by: "ada", cause: "it's late" };
  const dueAt = now + oneOf(random, [-5, 0, 1_500, 8_000]);
  const weight = (1 + upTo(random, 9)) as Weight;
  const payload = `{"edited":${upTo(random, 99)}}`;
  const by = {
    queue: task.queue,
    name: "replaced",
    weight,
    payload,
    overrides: { tags: ["tag-0"] },
    requestId: `replaced-${upTo(random, 99)}`,
    dueAt,
  };
  const decisions: readonly (() => ChangeDecision | null)[] = [
    () => decideCancel(task, now, actor),
    () => decideExpire({ ...task, overrides: { expires: now } }, now),
    () => decideEdit(task, { weight }, { policy: "express" }, now, actor),
    () => decideEdit(task, { weight }, { policy: "express" }, now, actor),
    () => decideEdit(task, { payload, name: chance(random, 0.5) ? null : "edited" }, { policy: "express" }, now, actor),
    () => decideEdit(task, { dueAt }, { policy: "ladder" }, now, actor),
    () => decideRerun(task, { dueAt }, now, actor),
    () => decideRerun(task, { dueAt, payload, kind: "redriven" }, now, actor),
    () => decideReplace(task, by, now, actor),
    () => barePatch(walk, task),
  ];
  try {
    return oneOf(random, decisions)();
  } catch (error) {
    if (error instanceof GivewayError && error.code === "wrong_state") return null;
    throw error;
  }
}

/** Fields that no decision of today writes together; the contract allows them all. */
function barePatch({ random, now }: Walk, task: TaskRecord): ChangeDecision {
  return {
    patch: {
      ...(chance(random, 0.3) ? { failures: upTo(random, 3), losses: upTo(random, 2) } : {}),
      ...(chance(random, 0.3) ? { lastOutcome: "timed_out", lastError: BROKEN } : {}),
      ...(chance(random, 0.3) ? { requestId: `other-${upTo(random, 9)}` } : {}),
      ...(chance(random, 0.3) ? { overrides: { timeout: upTo(random, 9) } } : {}),
      ...(chance(random, 0.3) && task.state === "waiting" ? { place: oneOf(random, ["keep", "anew"] as const) } : {}),
      ...(chance(random, 0.3) && task.state === "waiting" ? { dueAt: now + upTo(random, 2) - 1 } : {}),
    },
    record: null,
    archive: task.state !== "running" && task.state !== "succeeded" && chance(random, 0.3),
    signal: oneOf(random, [null, "reweighted", "cancelled"] as const),
  };
}
