import { type HeadSource, mergeHeads, overtakenUntil, type Weight } from "@giveway/kernel";
import type { ClaimLane } from "@giveway/store";
import { NO_PREFETCH_FLAG } from "./places.ts";
import type { ReadyCursor, ReadyRow } from "./ready-cursor.ts";

/** What a type may still take in this claim; shared by its streams and by the lanes. */
export interface TypeAllowance {
  readonly type: string;
  /** Its place in the request. */
  readonly index: number;
  /** What is left of the node's room and of the ledger-wide bound, whichever is less. */
  room: number;
  /** How many may still start at once. */
  direct: number;
}

/** Takes of one stream and weight: always its first so many rows, the started ones before the prefetched. */
export interface LaneTakes {
  readonly source: LaneSource;
  readonly started: ReadyRow[];
  readonly prefetched: ReadyRow[];
}

/** What is left in a lane after it was served. */
export interface LaneRest {
  readonly left: boolean;
  readonly until: number | null;
  readonly full: readonly string[];
}

/** How much of a lane is still to be given out. */
interface LaneRoom {
  direct: number;
  prefetch: number;
}

/** One stream and weight as the merge sees it: it shows its head only while that may be taken, so a full type blocks nothing behind it. */
export class LaneSource implements HeadSource<ReadyRow> {
  readonly weight: Weight;
  readonly cursor: ReadyCursor;
  readonly allowance: TypeAllowance;
  readonly takes: LaneTakes;
  readonly #room: LaneRoom;
  /** Rows of `ready` not taken yet. */
  remaining: number;
  #stay = false;

  constructor(cursor: ReadyCursor, allowance: TypeAllowance, remaining: number, room: LaneRoom) {
    this.weight = cursor.weight as Weight;
    this.cursor = cursor;
    this.allowance = allowance;
    this.remaining = remaining;
    this.#room = room;
    this.takes = { source: this, started: [], prefetched: [] };
  }

  peek(): ReadyRow | null {
    if (this.remaining === 0 || this.allowance.room <= 0) return null;
    if (!this.mayStart() && this.#room.prefetch <= 0) return null;
    const head = this.cursor.head();
    return head === null || this.isClosedFor(head) ? null : head;
  }

  /** Whether a head of its type can't be taken whatever the lanes have left: others may pass it. */
  isClosedFor(head: ReadyRow): boolean {
    if (this.allowance.room <= 0) return true;
    return this.allowance.direct <= 0 && (head.flags & NO_PREFETCH_FLAG) !== 0;
  }

  advance(): void {
    if (this.#stay) this.#stay = false;
    else this.cursor.advance();
  }

  /** Starts or prefetches the head. One that must not be prefetched ends the lane instead: nothing behind it may pass. */
  take(row: ReadyRow, starts: boolean): boolean {
    if (!starts && (row.flags & NO_PREFETCH_FLAG) !== 0) {
      this.#room.direct = 0;
      this.#room.prefetch = 0;
      this.#stay = true;
      return false;
    }
    if (starts) {
      this.#room.direct -= 1;
      this.allowance.direct -= 1;
      this.takes.started.push(row);
    } else {
      this.#room.prefetch -= 1;
      this.takes.prefetched.push(row);
    }
    this.allowance.room -= 1;
    this.remaining -= 1;
    return true;
  }

  /** Whether its head would start at once, rather than be prefetched. */
  mayStart(): boolean {
    return this.#room.direct > 0 && this.allowance.direct > 0;
  }
}

/** The part of a lane's limit that starts at once, and the part that is prefetched. */
export function roomOf(lane: ClaimLane): LaneRoom {
  const limit = Math.max(0, lane.limit);
  const direct = Math.min(limit, Math.max(0, lane.direct));
  return { direct, prefetch: limit - direct };
}

/** Takes from the lane's sources in exact start order; `took` hears of each. */
export function serveLane(
  lane: ClaimLane,
  sources: readonly LaneSource[],
  now: number,
  took: (row: ReadyRow, source: LaneSource, started: boolean) => void,
): void {
  let ended = false;
  mergeHeads(sources, lane.order.ranking, now, Math.max(0, lane.limit), (row, source) => {
    if (ended) return;
    const own = source as LaneSource;
    const started = own.mayStart();
    if (own.take(row, started)) took(row, own, started);
    else ended = true;
  });
}

export function restOf(lane: ClaimLane, sources: readonly LaneSource[]): LaneRest {
  let left = false;
  let until: number | null = null;
  const full: string[] = [];
  for (const source of sources) {
    if (source.remaining === 0) continue;
    if (source.allowance.room <= 0) {
      full.push(source.allowance.type);
      continue;
    }
    const head = source.cursor.head();
    if (head === null) continue;
    if (source.isClosedFor(head)) {
      full.push(source.allowance.type);
      continue;
    }
    left = true;
    const bound = overtakenUntil(lane.order.ranking, source.weight, head.since);
    // A ranking that promises nothing has no bound to keep.
    if (Number.isFinite(bound)) until = until === null ? bound : Math.min(until, bound);
  }
  return { left, until, full };
}
