import { prefetchFor, type TypeName } from "@giveway/kernel";
import type { OpenType } from "@giveway/store";
import type { TypePool } from "../pools/type-pool.ts";

export interface OpenTypes {
  readonly types: readonly OpenType[];
  /** Left out because nothing of them may be taken now: their work may stay behind unseen. */
  readonly closed: readonly TypeName[];
}

/**
 * Which types a claim may take, and how many of each. A type's own permits bound what starts at once (`direct`); on top come as many as it
 * starts by itself in the prefetch's time, so that a slow type fills no window and a fast one is never short. A bound stated for the whole
 * ledger counts claimed tasks too, hence nothing is prefetched beyond it.
 *
 * `windowed` tells how many of a type are claimed and not started; `most` is the largest number the claim asks for.
 */
export function openTypes(
  pools: Iterable<TypePool>,
  windowed: (type: TypeName) => number,
  most: number,
  monotonic: number,
): OpenTypes {
  const types: OpenType[] = [];
  const closed: TypeName[] = [];
  for (const pool of pools) {
    const { type } = pool;
    const open = pool.usable ? openType(pool, windowed(type), most, monotonic) : null;
    if (open === null) closed.push(type);
    else types.push(open);
  }
  return { types, closed };
}

function openType(pool: TypePool, windowed: number, most: number, monotonic: number): OpenType | null {
  const { type } = pool;
  const stated = pool.compiled.concurrency;
  // One more than the claim takes: a type that only the claim's size holds back is not full, and the ledger is to say what it left.
  const beyond = most + 1;
  if (pool.room === Number.POSITIVE_INFINITY) return { type, room: beyond, bound: null };
  const direct = Math.max(0, pool.room - windowed);
  const kept = Math.max(0, windowed - pool.room);
  const ahead = stated === null ? Math.max(0, prefetchFor(pool.rate.perSecond(monotonic)) - kept) : 0;
  const room = Math.min(beyond, direct + ahead);
  return room === 0 ? null : { type, room, direct: Math.min(room, direct), bound: stated };
}
