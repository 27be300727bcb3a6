import { NAMED_WEIGHTS, type Weight } from "../weight.ts";
import type { Ranking } from "./policy.ts";

/**
 * Part (a) of "no task starves": a task of base weight w that became ready at `since` is overtaken in its lane, while its stream is open,
 * only by tasks that became ready before the instant this answers. Proof: `docs/internals/order-and-bounds.md`.
 * Infinity for rankings that promise nothing (`fixed`); for `fifo` nothing that became ready later may overtake.
 */
export function overtakenUntil(ranking: Ranking, weight: Weight, since: number): number {
  switch (ranking.kind) {
    case "aged":
      return since + Math.max(0, ranking.ceiling - weight) * ranking.step;
    case "ladder":
      return since + rungsAbove(weight) * ranking.step;
    case "fixed":
      return Number.POSITIVE_INFINITY;
    case "fifo":
      return since;
  }
}

/** Steps until the ladder's top: one for each named level above the weight. */
function rungsAbove(weight: Weight): number {
  return Object.values(NAMED_WEIGHTS).filter((level) => level > weight).length;
}
