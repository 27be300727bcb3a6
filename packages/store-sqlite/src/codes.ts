import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  type EndReason,
  STORED_STATES,
  type StoredState,
} from "@giveway/kernel";

/**
 * Names that the ledger stores as numbers. The numbers are on people's disks: lists only grow at the end. The kernel's lists are in the
 * stored order today; a test fails should one be reordered.
 */
export const STATE_CODES: readonly StoredState[] = STORED_STATES;
export const OUTCOME_CODES: readonly AttemptOutcome[] = ATTEMPT_OUTCOMES;
export const REASON_CODES = [
  "succeeded",
  "not_retryable",
  "retries_exhausted",
  "invalid_payload",
  "poison",
  "by_hand",
  "expired",
  "shed",
  "replaced",
] as const satisfies readonly EndReason[];

export const WAITING = 0;
export const RUNNING = 1;
export const SUCCEEDED = 2;
export const DEAD = 3;
export const CANCELLED = 4;

const stateNumbers = numbersOf(STATE_CODES);
const outcomeNumbers = numbersOf(OUTCOME_CODES);
const reasonNumbers = numbersOf(REASON_CODES);

export function stateCode(state: StoredState): number {
  return codeOf(stateNumbers, state);
}
export function outcomeCode(outcome: AttemptOutcome | null): number | null {
  return outcome === null ? null : codeOf(outcomeNumbers, outcome);
}
export function reasonCode(reason: EndReason | null): number | null {
  return reason === null ? null : codeOf(reasonNumbers, reason);
}

export function stateOf(code: number): StoredState {
  return nameOf(STATE_CODES, code);
}
export function outcomeOf(code: number | null): AttemptOutcome | null {
  return code === null ? null : nameOf(OUTCOME_CODES, code);
}
export function reasonOf(code: number | null): EndReason | null {
  return code === null ? null : nameOf(REASON_CODES, code);
}

function numbersOf<Name extends string>(names: readonly Name[]): ReadonlyMap<Name, number> {
  return new Map(names.map((name, code) => [name, code]));
}

function codeOf<Name extends string>(numbers: ReadonlyMap<Name, number>, name: Name): number {
  const code = numbers.get(name);
  if (code === undefined) throw new RangeError(`"${name}" has no number in the ledger`);
  return code;
}

function nameOf<Name extends string>(names: readonly Name[], code: number): Name {
  const name = names[code];
  if (name === undefined) throw new RangeError(`the ledger holds the number ${code}, which stands for nothing here`);
  return name;
}
