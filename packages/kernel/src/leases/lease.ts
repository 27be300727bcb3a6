/**
 * # Leases (C10, D17)
 *
 * Each incarnation of a node holds one lease, renewed by its beats and measured on the ledger's own lease clock. Two sides decide by it:
 *
 * - The node itself, from the moment it *sent* its last successful beat: past `localDeadline` it starts nothing, signals `lease_lost` and
 *   throws its answers away. It counts from the send, because the ledger can't have renewed earlier than that; counting from the answer
 *   would leave a gap in which two nodes believe in themselves.
 * - The others, from the ledger's row: `mayTakeOver` says yes only when the lease has expired *and* no beat came since, or the process is
 *   proven dead. They then declare it dead in a write that is refused if it beat meanwhile, and only then settle what it held.
 *
 * The first deadline lies before the second, so a node has stopped before another begins.
 */

/** What a take-over decision needs of a node's row. `lastBeat` and `clock` are on the ledger's lease clock, all in ms. */
export interface LeaseFacts {
  readonly lastBeat: number;
  readonly clock: number;
  readonly lease: number;
  readonly declaredDead: boolean;
  readonly provenDead: boolean;
  readonly self: boolean;
}

/** A stall of the timers and of the send itself that the local deadline allows for, ms. */
export const LEASE_MARGIN = 250;

/** Whether the lease has run out: no beat for that long by the ledger's clock. A clock set back expires nothing. */
export function isExpired(facts: Pick<LeaseFacts, "lastBeat" | "clock" | "lease">): boolean {
  return facts.clock - facts.lastBeat >= facts.lease;
}

export type TakeOverGround = "declared_dead" | "proven_dead" | "lease_expired";

/**
 * On what ground a node's tasks may be taken over, or null. A node never takes over itself: that its own lease ran out it learns from its
 * beat. `lease_expired` holds for the row as it was read; the store's `declareDead(node, lastBeat)` refuses where a beat came since.
 */
export function mayTakeOver(facts: LeaseFacts): TakeOverGround | null {
  if (facts.self) return null;
  if (facts.declaredDead) return "declared_dead";
  if (facts.provenDead) return "proven_dead";
  return isExpired(facts) ? "lease_expired" : null;
}

/**
 * Until when a node may believe in its lease: counted on its monotonic clock from when the renewing beat was *sent*, with a hundredth off for
 * clocks that run apart and a margin for stalls. Never before the send.
 */
export function localDeadline(sentAt: number, lease: number, margin = LEASE_MARGIN): number {
  return sentAt + Math.max(0, Math.floor(lease * 0.99 - margin));
}
