import { effectiveWeight } from "../priority/effective-weight.ts";
import { overtakenUntil } from "../priority/order-bound.ts";
import { type LaneOrder, laneOrders, laneUnder, type Ranking } from "../priority/policy.ts";
import type { ChangeRecord } from "../task.ts";
import { MAX_WEIGHT, type Weight } from "../weight.ts";
import type { WhyReason } from "./codes.ts";
import type { WhyFacts, WhyQueue } from "./facts.ts";
import { moment, span } from "./words.ts";

/** How a waiting task's weight counts now. */
export interface WeightTerms {
  readonly base: Weight;
  readonly gained: number;
  readonly effective: number;
  readonly ceiling: number;
}

/** The lane a queue serves a weight in, with its ranking. */
export function orderOf(queue: Pick<WhyQueue, "policy" | "steps">, weight: Weight): LaneOrder | undefined {
  const lane = laneUnder(queue.policy, weight);
  return laneOrders(queue.policy, queue.steps).find((order) => order.lane === lane);
}

/** The terms of its effective weight; null unless it is ready in a queue this node knows. */
export function weightTerms(facts: WhyFacts): WeightTerms | null {
  const { task, queue, now } = facts;
  if (task.state !== "waiting" || task.since === null || queue === null) return null;
  const base = task.weight;
  const ranking = orderOf(queue, base)?.ranking;
  if (ranking === undefined || ranking.kind === "fifo") return { base, gained: 0, effective: base, ceiling: base };
  const effective = effectiveWeight(ranking, base, task.since, now);
  return { base, gained: effective - base, effective, ceiling: ceilingOf(ranking, base) };
}

function ceilingOf(ranking: Ranking, base: Weight): number {
  if (ranking.kind === "aged") return Math.max(ranking.ceiling, base);
  return ranking.kind === "ladder" ? MAX_WEIGHT : base;
}

/** Where a ready task stands and why just there: its aging, the ceiling, since when its place counts, its expiry. */
export function orderReasons(facts: WhyFacts): WhyReason[] {
  const reasons = [...agingReasons(facts), ...placeReason(facts)];
  const { expires } = facts.task.overrides;
  if (expires !== undefined && facts.task.attempt === 0) {
    reasons.push({ code: "expires", text: `It is cancelled unless it starts before ${moment(expires, facts.now)}.` });
  }
  return reasons;
}

function agingReasons(facts: WhyFacts): WhyReason[] {
  const { task, queue, now } = facts;
  const terms = weightTerms(facts);
  if (terms === null || queue === null || task.since === null) return [];
  const ranking = orderOf(queue, task.weight)?.ranking;
  if (ranking === undefined) return [];
  const bound = overtakenUntil(ranking, task.weight, task.since);
  const text = `Weight ${terms.base} counts as ${terms.effective} after waiting ${span(now - task.since)}${stepText(ranking, terms)}; ${boundText(bound, now)}.`;
  const reasons: WhyReason[] = [{ code: "aging", text }];
  if (terms.gained > 0 && terms.effective >= terms.ceiling) {
    reasons.push({
      code: "flattened",
      text: `It stands at the ceiling of ${terms.ceiling}, as does all older work of its lane: among those the order is that of becoming ready. A longer aging step for queue ${task.queue} keeps the weights apart for longer.`,
    });
  }
  return reasons;
}

function stepText(ranking: Ranking, terms: WeightTerms): string {
  switch (ranking.kind) {
    case "aged":
      return ` (1 more each ${span(ranking.step)}, up to ${terms.ceiling})`;
    case "ladder":
      return ` (one named level each ${span(ranking.step)}, up to critical)`;
    case "fixed":
      return " (no aging under this policy)";
    case "fifo":
      return " (weights don't count under this policy)";
  }
}

function boundText(bound: number, now: number): string {
  if (bound === Number.POSITIVE_INFINITY) return "heavier tasks overtake it without bound";
  if (bound <= now) return "nothing that becomes ready from now on overtakes it in its lane";
  return `only tasks that become ready before ${moment(bound, now)} can overtake it in its lane`;
}

const MOVING_CHANGES: ReadonlySet<ChangeRecord["kind"]> = new Set([
  "reweighted",
  "rescheduled",
  "edited",
  "rerun",
  "redriven",
  "replaced",
]);

/** Why a task that was submitted earlier may stand behind a later one of the same weight: what made it ready anew, and when. */
function placeReason(facts: WhyFacts): WhyReason[] {
  const { task, now } = facts;
  if (task.state !== "waiting" || task.since === null || task.since <= task.createdAt) return [];
  return [
    {
      code: "place",
      text: `Its place counts from ${moment(task.since, now)}, ${causeOfPlace(facts, task.since)}, not from its submit at ${moment(task.createdAt, now)}: it stands behind tasks of its weight that were ready before.`,
    },
  ];
}

function causeOfPlace(facts: WhyFacts, since: number): string {
  const change = facts.changes.filter((entry) => MOVING_CHANGES.has(entry.kind) && entry.at <= since).at(-1);
  const attempt = facts.attempts.filter((entry) => entry.endedAt !== null && entry.endedAt <= since).at(-1);
  if (change !== undefined && (attempt?.endedAt ?? 0) <= change.at)
    return `after it was ${change.kind} by ${change.by}`;
  if (attempt === undefined) return "when its due time had come";
  return attempt.outcome === "snoozed"
    ? "when its snooze was over"
    : `when it was ready again after attempt ${attempt.attempt}`;
}
