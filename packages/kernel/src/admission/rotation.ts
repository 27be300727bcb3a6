import type { Policy } from "../priority/policy.ts";
import type { Lane } from "../weight.ts";

/**
 * Turns between two lanes that both wait. Each counted start earns standard its part of a start, and once a whole one has come together
 * the next start is standard's. Counted in 110ths of a start, for which both 3 of 10 and 1 of 11 are whole numbers, so a queue may change
 * its policy and keep its rotation.
 *
 * Promise: with p parts a start, any n consecutive counted starts hold floor((c + n × p) / 110) standard ones, c being the credit before
 * them, 0 <= c < 110. That is exactly 3 of every 10 (p = 33), and exactly 1 of every 11 (p = 10), wherever one begins to count; and they
 * are spread out, so that an express task waits for one standard start at most.
 */
export interface Rotation {
  /** Earned by standard and not yet started, in 110ths of a start. */
  readonly credit: number;
}

export const START_OF_ROTATION: Rotation = { credit: 0 };

const WHOLE = 110;
const THREE_OF_TEN = 33;
const ONE_OF_ELEVEN = 10;

/** Whose turn the next counted start is. */
export function turnOf(rotation: Rotation, policy: Policy): Lane {
  return rotation.credit + earned(policy) >= WHOLE ? "standard" : "express";
}

/**
 * The rotation after a counted start. A standard start out of turn isn't held against standard, and one it was denied (no such task came
 * forth after all) stays owed.
 */
export function creditAfter(rotation: Rotation, started: Lane, policy: Policy): Rotation {
  const credit = rotation.credit + earned(policy);
  if (started === "standard") return { credit: Math.max(0, credit - WHOLE) };
  return { credit: Math.min(credit, WHOLE) };
}

function earned(policy: Policy): number {
  return policy === "rotation" ? ONE_OF_ELEVEN : THREE_OF_TEN;
}
