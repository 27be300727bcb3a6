import type { Lane } from "../weight.ts";
import type { Admission, SlotSettings, SlotUsage, Waiting } from "./slots.ts";

/** Why a start broke a promise about slots. */
export type ShareBreach =
  /** More base or burst slots are held than there are. */
  | "oversubscribed"
  /** Express went beyond its share while standard work waited. */
  | "share"
  /** A lane took a slot that is the other's own (`isolated`), or a burst slot that isn't meant for it. */
  | "foreign_slot"
  /** Standard work waited through more starts than its turn allows. */
  | "turn";

/**
 * Part (b) of "no task starves" for one start: while standard work waits, express holds no more than its share of the base slots, save
 * what runs already. `usage` is that after the start, `waiting` that before it, what is in the ledger included.
 *
 * It states the rules anew from the semantics and shares no code with `admit`, so that an error there can't hide here.
 */
export function shareBreached(
  settings: SlotSettings,
  usage: SlotUsage,
  waiting: Waiting,
  started: Admission,
): Exclude<ShareBreach, "turn"> | null {
  const { lane, slot } = started;
  if (slot === "burst") {
    if (usage.burst > settings.burst - settings.slots) return "oversubscribed";
    if (lane === "express" || settings.burstFor === "all") return null;
    // Under rotation the turn decides about every slot.
    return settings.policy === "rotation" && waiting.express ? null : "foreign_slot";
  }
  if (usage.express + usage.standard > settings.slots) return "oversubscribed";
  if (settings.slots < 2) return null;
  const guaranteed = standardSlots(settings);
  if (settings.policy === "express" && lane === "express" && waiting.standard) {
    return usage.express > settings.slots - guaranteed ? "share" : null;
  }
  if (settings.policy === "isolated") {
    const own = lane === "express" ? settings.slots - guaranteed : guaranteed;
    return usage[lane] > own ? "foreign_slot" : null;
  }
  return null;
}

/** What the share leaves to standard: the rest of the slots rounded up, but neither none nor all. */
function standardSlots({ slots, share }: SlotSettings): number {
  const rest = Math.ceil((slots * (100 - share)) / 100);
  return Math.max(1, Math.min(rest, slots - 1));
}

/**
 * Counts broken promises of part (b) at every start, with the memory that turns need: with one slot three of every ten consecutive starts
 * on it are standard while both lanes wait, under `rotation` one of every eleven on all slots. The count must stay zero (metric and alert).
 */
export class ShareChecker {
  #starts = 0;
  #breaches = 0;
  #last: ShareBreach | null = null;
  /** Lanes of the latest starts that a turn governed, newest last. */
  #turns: Lane[] = [];
  #rule = "";

  get starts(): number {
    return this.#starts;
  }

  get breaches(): number {
    return this.#breaches;
  }

  get last(): ShareBreach | null {
    return this.#last;
  }

  check(settings: SlotSettings, usage: SlotUsage, waiting: Waiting, started: Admission): ShareBreach | null {
    this.#starts += 1;
    const late = this.#missedTurn(settings, waiting, started);
    const breach = shareBreached(settings, usage, waiting, started) ?? (late ? "turn" : null);
    if (breach !== null) {
      this.#breaches += 1;
      this.#last = breach;
    }
    return breach;
  }

  #missedTurn(settings: SlotSettings, waiting: Waiting, started: Admission): boolean {
    const rule = turnRule(settings);
    const name = rule === null ? "" : `${rule.least}/${rule.of}`;
    // Another rule begins to count anew: it promises nothing about starts made under the old one.
    if (name !== this.#rule) this.#turns = [];
    this.#rule = name;
    if (rule === null || !(waiting.express && waiting.standard)) return false;
    if (rule.baseOnly && started.slot === "burst") return false;
    this.#turns.push(started.lane);
    if (this.#turns.length > rule.of) this.#turns.shift();
    if (this.#turns.length < rule.of) return false;
    return this.#turns.filter((lane) => lane === "standard").length < rule.least;
  }
}

interface TurnRule {
  readonly least: number;
  readonly of: number;
  /** Burst slots lie outside the share. */
  readonly baseOnly: boolean;
}

function turnRule(settings: SlotSettings): TurnRule | null {
  if (settings.policy === "rotation") return { least: 1, of: 11, baseOnly: false };
  const shared = settings.policy === "express" || settings.policy === "isolated";
  return shared && settings.slots === 1 ? { least: 3, of: 10, baseOnly: true } : null;
}
