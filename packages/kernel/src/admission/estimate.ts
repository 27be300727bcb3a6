/** What is known of a waiting task's surroundings. */
export interface StartFacts {
  /** Tasks of its lane that start before it. */
  readonly ahead: number;
  /** Slots its lane can count on, all of them busy. */
  readonly slotsForLane: number;
  /** Measured mean run time in ms. */
  readonly meanRun: number;
}

/**
 * Part (c) of "no task starves": an estimate, not a bound, of the ms until a task starts. Busy slots finish one task per
 * meanRun / slots on average, and its own start needs one finish more than there are tasks ahead. Null where nothing can be said.
 */
export function estimateStart({ ahead, slotsForLane, meanRun }: StartFacts): number | null {
  if (!(slotsForLane > 0) || !Number.isFinite(meanRun)) return null;
  return Math.ceil(((ahead + 1) * meanRun) / slotsForLane);
}
