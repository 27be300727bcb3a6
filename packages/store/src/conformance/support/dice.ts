import type { Random } from "@giveway/kernel";

/** A whole number from 0 to `most`, both included. */
export function upTo(random: Random, most: number): number {
  return Math.floor(random() * (most + 1));
}

export function chance(random: Random, odds: number): boolean {
  return random() < odds;
}

export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[upTo(random, items.length - 1)];
  if (item === undefined) throw new Error("nothing to choose from");
  return item;
}
