import { GivewayError } from "./errors.ts";

/** 1 to 10, more is more urgent (B1). */
export type Weight = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** The two lanes: express holds base weights 7 and up, standard 1 to 6 (B2). A lane never changes by aging. */
export type Lane = "express" | "standard";

/** The four names people use instead of numbers (A3). */
export const NAMED_WEIGHTS = { low: 2, normal: 5, high: 8, critical: 10 } as const satisfies Record<string, Weight>;
export type WeightName = keyof typeof NAMED_WEIGHTS;

/** What users may write wherever a weight is asked for. */
export type WeightInput = Weight | WeightName | number;

export const MIN_WEIGHT: Weight = 1;
export const MAX_WEIGHT: Weight = 10;
export const DEFAULT_WEIGHT: Weight = 5;
/** The lowest base weight of the express lane. */
export const EXPRESS_FROM: Weight = 7;

export const EXPRESS_WEIGHTS: readonly Weight[] = [10, 9, 8, 7];
export const STANDARD_WEIGHTS: readonly Weight[] = [6, 5, 4, 3, 2, 1];

export function laneOf(weight: Weight): Lane {
  return weight >= EXPRESS_FROM ? "express" : "standard";
}

/** Reads a weight as a person writes it: a whole number 1 to 10 or one of the four names. Throws `invalid_weight`. */
export function parseWeight(value: unknown, field = "weight"): Weight {
  if (typeof value === "number" && Number.isInteger(value) && value >= MIN_WEIGHT && value <= MAX_WEIGHT) {
    return value as Weight;
  }
  if (typeof value === "string" && Object.hasOwn(NAMED_WEIGHTS, value)) {
    return NAMED_WEIGHTS[value as WeightName];
  }
  const shown = typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : typeof value;
  throw new GivewayError(
    "invalid_weight",
    `${field}: expected a whole number from 1 to 10 or low, normal, high, critical; got ${shown}`,
    {
      field,
    },
  );
}
