import type { Lane } from "../weight.ts";
import type { Rotation } from "./rotation.ts";
import { admit, afterStart, capOf, occupy, type SlotSettings, type SlotUsage, type Waiting } from "./slots.ts";

/** What to ask the ledger for in one lane: at most `limit` tasks, the first `direct` of them to start at once. */
export interface LaneClaim {
  readonly limit: number;
  readonly direct: number;
}

export interface ClaimPlan {
  readonly express: LaneClaim;
  readonly standard: LaneClaim;
}

/** Tasks claimed and not started, by lane. */
export interface Windowed {
  readonly express: number;
  readonly standard: number;
}

export const PREFETCH_MS = 100;
/** Below so many a prefetch isn't worth holding tasks back from other nodes. */
export const MIN_PREFETCH = 4;
/** Keeps the window's memory bounded however fast a queue drains. */
export const MAX_PREFETCH = 8192;

/** How many tasks to hold claimed beyond the free slots: what starts in 100 ms at the measured pace. */
export function prefetchFor(startsPerSecond: number): number {
  const room = Math.floor((startsPerSecond * PREFETCH_MS) / 1000);
  return room < MIN_PREFETCH ? 0 : Math.min(room, MAX_PREFETCH);
}

/**
 * What one claim asks the ledger for, or null where there is nothing to ask.
 *
 * `direct` is found by playing `admit` on assumed work: a lane that `ledger` flags is taken to be full of it, and what lies in the window
 * starts first. So a claim starts exactly what the rules would start one by one, whatever it finds; where a flag proves wrong the answer
 * clears it and the next plan gives the slots to the other lane. Prefetched tasks come on top and hold no slot: `admit` decides later.
 *
 * `ledger` says in which lanes the ledger may have startable work, `prefetch` how many tasks may be held beyond the slots (`prefetchFor`).
 */
export function planClaim(
  settings: SlotSettings,
  usage: SlotUsage,
  ledger: Waiting,
  rotation: Rotation,
  prefetch: number,
  windowed: Windowed,
): ClaimPlan | null {
  const starts = assumedStarts(settings, usage, ledger, rotation, windowed);
  const room = prefetchByLane(settings, ledger, prefetch);
  const express = laneClaim("express", starts, room, ledger, windowed);
  const standard = laneClaim("standard", starts, room, ledger, windowed);
  return express.limit + standard.limit === 0 ? null : { express, standard };
}

/** Starts by lane until no slot or no work is left. Bounded by the number of slots. */
function assumedStarts(
  settings: SlotSettings,
  usage: SlotUsage,
  ledger: Waiting,
  rotation: Rotation,
  windowed: Windowed,
): Windowed {
  const starts = { express: 0, standard: 0 };
  let held = usage;
  let turns = rotation;
  for (;;) {
    const waiting = {
      express: ledger.express || windowed.express > starts.express,
      standard: ledger.standard || windowed.standard > starts.standard,
    };
    const next = admit(settings, held, waiting, turns);
    if (next === null) return starts;
    starts[next.lane] += 1;
    held = occupy(held, next);
    turns = afterStart(turns, next, waiting, settings);
  }
}

function laneClaim(lane: Lane, starts: Windowed, room: Windowed, ledger: Waiting, windowed: Windowed): LaneClaim {
  if (!ledger[lane]) return { limit: 0, direct: 0 };
  const direct = Math.max(0, starts[lane] - windowed[lane]);
  const kept = Math.max(0, windowed[lane] - starts[lane]);
  return { limit: direct + Math.max(0, room[lane] - kept), direct };
}

/** Divides the prefetch between the lanes as the slots will be while both wait. */
function prefetchByLane(settings: SlotSettings, ledger: Waiting, prefetch: number): Windowed {
  if (!ledger.standard) return { express: prefetch, standard: 0 };
  if (!ledger.express) return { express: 0, standard: prefetch };
  const express = Math.floor(prefetch * expressPart(settings));
  return { express, standard: prefetch - express };
}

function expressPart(settings: SlotSettings): number {
  switch (settings.policy) {
    case "express":
    case "isolated": {
      if (settings.slots === 1) return 7 / 10;
      const extra = settings.burst - settings.slots;
      return (capOf(settings) + extra) / settings.burst;
    }
    case "rotation":
      return 10 / 11;
    case "ladder":
    case "strict":
    case "fifo":
      return 0;
  }
}
