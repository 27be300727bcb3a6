/**
 * How many tasks of one type may run at once on a node where nobody stated a bound: all slots but one where the queue serves several
 * types, so that none of them can fill it (section 8); no bound where it serves one.
 */
export function defaultBound(slots: number, types: number): number {
  return types > 1 ? Math.max(1, slots - 1) : Number.POSITIVE_INFINITY;
}

/** The bound in force on a node: the stated one (null for none) or the default. */
export function boundOf(stated: number | null, slots: number, types: number): number {
  return stated ?? defaultBound(slots, types);
}

/** How many more of a type may be taken, given those that hold a permit already (running, zombies, claimed and not started). Never negative. */
export function roomOf(bound: number, held: number): number {
  return Math.max(0, bound - held);
}
