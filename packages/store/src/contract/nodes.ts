import type { NodeId, SignalKind, TaskId, TypeName } from "@giveway/kernel";

export interface NodeRegistration {
  readonly node: NodeId;
  /** For people. */
  readonly label: string;
  readonly release: string;
  readonly types: readonly TypeName[];
  readonly now: number;
  /** ms: without a beat for so long the lease has expired. */
  readonly lease: number;
}
export interface NodeRecord {
  readonly node: NodeId;
  readonly label: string;
  readonly release: string;
  readonly types: readonly TypeName[];
  readonly startedAt: number;
  /** On the ledger's lease clock (monotonic since boot for SQLite), as is `clock`. Each beat is later than the one before, within a millisecond too. */
  readonly lastBeat: number;
  readonly clock: number;
  readonly lease: number;
  readonly declaredDead: boolean;
  /** The store can prove its process ended (same boot and process namespace, pid gone or reused; or another boot). */
  readonly provenDead: boolean;
  readonly self: boolean;
}
export interface NodeSignal {
  readonly kind: SignalKind | "drain";
  readonly id: TaskId | null;
}
export interface BeatAnswer {
  readonly alive: boolean;
  readonly signals: readonly NodeSignal[];
  /**
   * The longest wait for the ledger's write lock since the beat before, ms; absent where there is no such lock. A node that waited for long
   * could not see others' beats either: it doesn't take over for an expired lease then (section 11).
   */
  readonly waitedForLock?: number;
}
