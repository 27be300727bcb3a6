import type { Policy } from "../priority/policy.ts";
import type { Lane } from "../weight.ts";
import { creditAfter, type Rotation, turnOf } from "./rotation.ts";

/** What rules the slots of one queue on one node (section 4, A5, A6). */
export interface SlotSettings {
  readonly policy: Policy;
  /** Base slots, at least 1. */
  readonly slots: number;
  /** All slots, burst included; never below `slots`. */
  readonly burst: number;
  /** Who may use the slots above the base. One-lane policies know no express lane: there only `all` opens them. */
  readonly burstFor: "express" | "all";
  /** The express lane's share of the base slots, in percent. */
  readonly share: number;
}

/** Slots held: base slots by lane, burst slots by either. */
export interface SlotUsage {
  readonly express: number;
  readonly standard: number;
  readonly burst: number;
}

/** Which lanes have work that is startable but for a slot, what still lies in the ledger included. One-lane policies use `standard`. */
export interface Waiting {
  readonly express: boolean;
  readonly standard: boolean;
}

/** The next start: a task of this lane, on a slot of this kind. */
export interface Admission {
  readonly lane: Lane;
  readonly slot: "base" | "burst";
}

/** The slots of one lane under `isolated`, and express's bound while standard work waits: clamp(floor(share% × slots / 100), 1, slots − 1); 1 of 1. */
export function capOf(settings: Pick<SlotSettings, "slots" | "share">): number {
  const part = Math.floor((settings.share * settings.slots) / 100);
  return Math.max(1, Math.min(part, settings.slots - 1));
}

/**
 * Who starts next, or null where nothing may. Pure: ask again with the usage that the start led to, until null. Express is asked first.
 *
 * - `express`: a base slot within the cap, else a burst slot, else (only while no standard work waits) a base slot beyond the cap. So the
 *   base slots beyond the cap are the last that express takes, and standard work that comes next finds them free. Standard takes any base slot.
 * - `isolated`: base slots within its own part only, for both lanes.
 * - `rotation`: any slot, by turns of eleven while both lanes wait; an owed standard start may use a burst slot, else ten express starts
 *   on burst slots would pass between two.
 * - `ladder`, `strict`, `fifo`: any base slot.
 * With one base slot there is nothing to divide: under `express` and `isolated` it is given by turns of ten while both lanes wait.
 */
export function admit(
  settings: SlotSettings,
  usage: SlotUsage,
  waiting: Waiting,
  rotation: Rotation,
): Admission | null {
  switch (settings.policy) {
    case "express":
    case "isolated":
      return settings.slots === 1
        ? admitToOneSlot(settings, usage, waiting, rotation)
        : admitByShare(settings, usage, waiting);
    case "rotation":
      return admitByTurns(settings, usage, waiting, rotation);
    case "ladder":
    case "strict":
    case "fifo":
      return waiting.standard ? standardAdmission(settings, usage, settings.slots) : null;
  }
}

/** The rotation after a start: it moves on only by starts that both lanes waited for. `waiting` is that before the start. */
export function afterStart(rotation: Rotation, started: Admission, waiting: Waiting, settings: SlotSettings): Rotation {
  if (!waiting.express || !waiting.standard || !countsAsTurn(settings, started)) return rotation;
  return creditAfter(rotation, started.lane, settings.policy);
}

/** Usage once the admitted task holds its slot. */
export function occupy(usage: SlotUsage, { lane, slot }: Admission): SlotUsage {
  return changed(usage, lane, slot, 1);
}

/** Usage once a slot of this kind, held by this lane, was given back. */
export function vacate(usage: SlotUsage, { lane, slot }: Admission): SlotUsage {
  return changed(usage, lane, slot, -1);
}

function changed(usage: SlotUsage, lane: Lane, slot: "base" | "burst", by: number): SlotUsage {
  if (slot === "burst") return { ...usage, burst: usage.burst + by };
  return { ...usage, [lane]: usage[lane] + by };
}

function admitByShare(settings: SlotSettings, usage: SlotUsage, waiting: Waiting): Admission | null {
  const cap = capOf(settings);
  if (waiting.express) {
    const found = expressAdmission(settings, usage, cap);
    if (found !== null) return found;
    const mayExceed = settings.policy === "express" && !waiting.standard;
    if (mayExceed && baseFree(settings, usage)) return { lane: "express", slot: "base" };
  }
  if (!waiting.standard) return null;
  return standardAdmission(settings, usage, settings.policy === "isolated" ? settings.slots - cap : settings.slots);
}

function admitToOneSlot(
  settings: SlotSettings,
  usage: SlotUsage,
  waiting: Waiting,
  rotation: Rotation,
): Admission | null {
  const owed = waiting.express && waiting.standard && turnOf(rotation, settings.policy) === "standard";
  if (owed && baseFree(settings, usage)) return { lane: "standard", slot: "base" };
  if (waiting.express) {
    const found = expressAdmission(settings, usage, 1);
    if (found !== null) return found;
  }
  return waiting.standard ? standardAdmission(settings, usage, 1) : null;
}

function admitByTurns(
  settings: SlotSettings,
  usage: SlotUsage,
  waiting: Waiting,
  rotation: Rotation,
): Admission | null {
  const slot = baseFree(settings, usage) ? "base" : burstFree(settings, usage) ? "burst" : null;
  if (slot === null) return null;
  if (waiting.express && waiting.standard) return { lane: turnOf(rotation, settings.policy), slot };
  if (waiting.express) return { lane: "express", slot };
  return waiting.standard ? standardAdmission(settings, usage, settings.slots) : null;
}

function expressAdmission(settings: SlotSettings, usage: SlotUsage, cap: number): Admission | null {
  if (usage.express < cap && baseFree(settings, usage)) return { lane: "express", slot: "base" };
  return burstFree(settings, usage) ? { lane: "express", slot: "burst" } : null;
}

function standardAdmission(settings: SlotSettings, usage: SlotUsage, own: number): Admission | null {
  if (usage.standard < own && baseFree(settings, usage)) return { lane: "standard", slot: "base" };
  const mayBurst = settings.burstFor === "all" && burstFree(settings, usage);
  return mayBurst ? { lane: "standard", slot: "burst" } : null;
}

function baseFree(settings: SlotSettings, usage: SlotUsage): boolean {
  return usage.express + usage.standard < settings.slots;
}

function burstFree(settings: SlotSettings, usage: SlotUsage): boolean {
  return usage.burst < settings.burst - settings.slots;
}

/** With one slot only the slot itself is shared by turns: burst slots lie outside the share. */
function countsAsTurn(settings: SlotSettings, started: Admission): boolean {
  switch (settings.policy) {
    case "rotation":
      return true;
    case "express":
    case "isolated":
      return settings.slots === 1 && started.slot === "base";
    case "ladder":
    case "strict":
    case "fifo":
      return false;
  }
}
