import { EXPRESS_WEIGHTS, type Lane, STANDARD_WEIGHTS, type Weight } from "../weight.ts";

/**
 * How a queue orders and shares its slots (section 4 of the semantics, A4, A5). Chosen per queue at start.
 * - `express`: two lanes with a share; aged weights. The default.
 * - `ladder`: one lane; a named level (low, normal, high, critical) per step, up to critical.
 * - `rotation`: two lanes served 10:1 while both wait.
 * - `isolated`: each lane has its own slots; nothing is lent.
 * - `strict`: one lane, highest weight first, no aging. Starves; for comparison and for people who want exactly that.
 * - `fifo`: one lane, in order of becoming ready.
 */
export const POLICIES = ["express", "ladder", "rotation", "isolated", "strict", "fifo"] as const;
export type Policy = (typeof POLICIES)[number];

/** How heads within one lane compare. */
export type Ranking =
  | { readonly kind: "aged" /** ms per gained weight */; readonly step: number; readonly ceiling: Weight }
  | { readonly kind: "ladder" /** ms per climbed named level */; readonly step: number }
  | { readonly kind: "fixed" }
  | { readonly kind: "fifo" };

/** One lane as a claim sees it: which base weights belong to it and how their heads compare. */
export interface LaneOrder {
  readonly lane: Lane;
  readonly weights: readonly Weight[];
  readonly ranking: Ranking;
}

/** A queue's aging steps in ms. */
export interface AgingSteps {
  readonly standard: number;
  readonly express: number;
}

export const DEFAULT_STEPS: AgingSteps = { standard: 5000, express: 1000 };
export const STANDARD_CEILING: Weight = 6;
export const EXPRESS_CEILING: Weight = 10;

const ALL_WEIGHTS: readonly Weight[] = [...EXPRESS_WEIGHTS, ...STANDARD_WEIGHTS];

/** The lanes of a policy, express first. One-lane policies put every weight into the standard lane. */
export function laneOrders(policy: Policy, steps: AgingSteps): readonly LaneOrder[] {
  switch (policy) {
    case "express":
      return [
        {
          lane: "express",
          weights: EXPRESS_WEIGHTS,
          ranking: { kind: "aged", step: steps.express, ceiling: EXPRESS_CEILING },
        },
        {
          lane: "standard",
          weights: STANDARD_WEIGHTS,
          ranking: { kind: "aged", step: steps.standard, ceiling: STANDARD_CEILING },
        },
      ];
    case "rotation":
    case "isolated":
      return [
        { lane: "express", weights: EXPRESS_WEIGHTS, ranking: { kind: "fixed" } },
        { lane: "standard", weights: STANDARD_WEIGHTS, ranking: { kind: "fixed" } },
      ];
    case "ladder":
      return [{ lane: "standard", weights: ALL_WEIGHTS, ranking: { kind: "ladder", step: steps.standard } }];
    case "strict":
      return [{ lane: "standard", weights: ALL_WEIGHTS, ranking: { kind: "fixed" } }];
    case "fifo":
      return [{ lane: "standard", weights: ALL_WEIGHTS, ranking: { kind: "fifo" } }];
  }
}

/** The lane a weight is served in under a policy. */
export function laneUnder(policy: Policy, weight: Weight): Lane {
  const oneLane = policy === "ladder" || policy === "strict" || policy === "fifo";
  return oneLane || weight < 7 ? "standard" : "express";
}
