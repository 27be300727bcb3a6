import {
  type Admission,
  admit,
  afterStart,
  type ClaimPlan,
  type Lane,
  occupy,
  type Rotation,
  type SlotSettings,
  type SlotUsage,
  type Waiting,
  type Windowed,
} from "@giveway/kernel";

/** A slot set aside for a task that a claim under way may bring, with what was true when it was admitted. */
export interface Grant {
  /** Which start of its claim it is: lanes take turns, however the answer lists them. */
  readonly turn: number;
  readonly admission: Admission;
  /** After the start. */
  readonly usage: SlotUsage;
  /** Before it. */
  readonly waiting: Waiting;
}

export interface Grants {
  readonly express: Grant[];
  readonly standard: Grant[];
}

export function noGrants(): Grants {
  return { express: [], standard: [] };
}

/**
 * The slots that a planned claim's direct tasks will start on: `planClaim` says how many of each lane, this says which slots those are, by the same
 * rule played once more. They are held from now until the answer, so that nothing else is started on them meanwhile.
 */
export function grantsFor(
  plan: ClaimPlan,
  settings: SlotSettings,
  usage: SlotUsage,
  ledger: Waiting,
  rotation: Rotation,
  windowed: Windowed,
): Grants {
  const grants = noGrants();
  const starts = { express: 0, standard: 0 };
  let held = usage;
  let turns = rotation;
  const missing = (lane: Lane): boolean => grants[lane].length < plan[lane].direct;
  while (missing("express") || missing("standard")) {
    const waiting = {
      express: ledger.express || windowed.express > starts.express,
      standard: ledger.standard || windowed.standard > starts.standard,
    };
    const admission = admit(settings, held, waiting, turns);
    if (admission === null) break;
    const { lane } = admission;
    starts[lane] += 1;
    held = occupy(held, admission);
    turns = afterStart(turns, admission, waiting, settings);
    if (starts[lane] > windowed[lane]) {
      grants[lane].push({ turn: starts.express + starts.standard, admission, usage: held, waiting });
    }
  }
  return grants;
}
