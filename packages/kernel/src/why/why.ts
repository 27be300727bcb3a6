import type { WhyReason } from "./codes.ts";
import { endReasons, pastReasons } from "./ended.ts";
import type { WhyFacts } from "./facts.ts";
import { type WeightTerms, weightTerms } from "./order.ts";
import { leftoverReasons, runningReasons } from "./running.ts";
import { startEstimate, waitingReasons } from "./waiting.ts";

export interface Explanation {
  /** The decisive reason first; what happened before comes last. */
  readonly reasons: readonly WhyReason[];
  /** Tasks of its lane that start before it, exact up to the limit of the facts; null unless ready. */
  readonly position: number | null;
  /** How its weight counts now; null unless ready in a queue that this node knows. */
  readonly weight: WeightTerms | null;
  /** ms since 1970: when it is expected to start. An estimate; null where nothing can be said. */
  readonly estimate: number | null;
}

/** Explains a task from recorded facts (section 12, A14, C21). Pure: the same facts, the same words. */
export function explain(facts: WhyFacts): Explanation {
  const waiting = facts.task.state === "waiting";
  return {
    reasons: [...presentReasons(facts), ...pastReasons(facts)],
    position: waiting ? (facts.position?.ahead ?? null) : null,
    weight: weightTerms(facts),
    estimate: waiting ? startEstimate(facts) : null,
  };
}

function presentReasons(facts: WhyFacts): WhyReason[] {
  switch (facts.task.state) {
    case "waiting":
      return [...waitingReasons(facts), ...leftoverReasons(facts)];
    case "running":
      return runningReasons(facts);
    case "succeeded":
    case "dead":
    case "cancelled":
      return [...endReasons(facts), ...leftoverReasons(facts)];
  }
}
