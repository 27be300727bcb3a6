import type { Weight } from "../weight.ts";
import type { WhyReason } from "./codes.ts";
import type { WhyFacts } from "./facts.ts";

export interface Explanation {
  /** The decisive reason first. */
  readonly reasons: readonly WhyReason[];
  /** Tasks of its lane that start before it, exact up to the limit of the facts; null unless ready. */
  readonly position: number | null;
  /** How its weight counts now; null unless ready. */
  readonly weight: {
    readonly base: Weight;
    readonly gained: number;
    readonly effective: number;
    readonly ceiling: number;
  } | null;
  /** ms since 1970: when it is expected to start; null where that can't be said. */
  readonly estimate: number | null;
}

/** Explains a task from recorded facts (section 12, A14, C21). Pure: the same facts, the same words. */
export function explain(_facts: WhyFacts): Explanation {
  return { reasons: [], position: null, weight: null, estimate: null };
}
