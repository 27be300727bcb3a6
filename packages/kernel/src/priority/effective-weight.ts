import { MAX_WEIGHT, NAMED_WEIGHTS, type Weight } from "../weight.ts";
import type { Ranking } from "./policy.ts";

const LEVELS: readonly Weight[] = [NAMED_WEIGHTS.low, NAMED_WEIGHTS.normal, NAMED_WEIGHTS.high, NAMED_WEIGHTS.critical];
/** By base weight, the named levels above it. */
const ABOVE: readonly (readonly Weight[])[] = Array.from({ length: MAX_WEIGHT + 1 }, (_, weight) =>
  LEVELS.filter((level) => level > weight),
);

/**
 * The weight a waiting task counts with at `now` (A4). Never falls while it waits, so within one stream and base weight the head
 * dominates its list and only heads need comparing. A clock set back counts as no wait.
 */
export function effectiveWeight(ranking: Ranking, weight: Weight, since: number, now: number): number {
  const waited = Math.max(0, now - since);
  switch (ranking.kind) {
    case "aged":
      return Math.min(Math.max(ranking.ceiling, weight), weight + Math.floor(waited / ranking.step));
    case "ladder":
      return climbed(weight, Math.floor(waited / ranking.step));
    case "fixed":
      return weight;
    case "fifo":
      return 0;
  }
}

/** The weight after climbing so many named levels: low is critical after three. */
function climbed(weight: Weight, steps: number): number {
  if (steps <= 0) return weight;
  const above = ABOVE[weight]!;
  return above[Math.min(steps, above.length) - 1] ?? MAX_WEIGHT;
}
