import { capOf, type SlotSettings } from "../admission/slots.ts";
import type { Weight } from "../weight.ts";
import { overtakenUntil } from "./order-bound.ts";
import { type AgingSteps, laneOrders, laneUnder } from "./policy.ts";

/** The two promises that follow from a queue's settings alone (section 4). */
export interface StarvationBounds {
  /**
   * Part (a), in ms: a task of this weight is overtaken in its lane only by tasks that became ready less than so long after it.
   * Infinity where the policy promises nothing; 0 where nobody overtakes it.
   */
  readonly order: number;
  /** Part (b): base slots that standard work holds while it waits, save for express that already runs. */
  readonly standardSlots: number;
  /** Part (b) where turns stand for slots: at least so many of so many consecutive starts that both lanes wait for; else null. */
  readonly standardTurns: { readonly starts: number; readonly of: number } | null;
}

export function starvationBounds(
  settings: Pick<SlotSettings, "policy" | "slots" | "share"> & { readonly steps: AgingSteps },
  weight: Weight,
): StarvationBounds {
  const lane = laneUnder(settings.policy, weight);
  const order = laneOrders(settings.policy, settings.steps).find((candidate) => candidate.lane === lane);
  const bound = order === undefined ? Number.POSITIVE_INFINITY : overtakenUntil(order.ranking, weight, 0);
  return { order: bound, ...standardShare(settings) };
}

function standardShare(
  settings: Pick<SlotSettings, "policy" | "slots" | "share">,
): Pick<StarvationBounds, "standardSlots" | "standardTurns"> {
  switch (settings.policy) {
    case "express":
    case "isolated":
      if (settings.slots === 1) return { standardSlots: 0, standardTurns: { starts: 3, of: 10 } };
      return { standardSlots: settings.slots - capOf(settings), standardTurns: null };
    case "rotation":
      return { standardSlots: 0, standardTurns: { starts: 1, of: 11 } };
    case "ladder":
    case "strict":
    case "fifo":
      // One lane holds every weight and every slot.
      return { standardSlots: settings.slots, standardTurns: null };
  }
}
