import type { Weight } from "../weight.ts";
import { effectiveWeight } from "./effective-weight.ts";
import type { Ranking } from "./policy.ts";

/** What the order needs to know of a ready task. */
export interface ReadyHead {
  readonly seq: number;
  readonly since: number;
}

/** The ready work of one stream and base weight, lowest `seq` first. `peek` may be called often, `advance` moves to the next. */
export interface HeadSource<Head extends ReadyHead> {
  readonly weight: Weight;
  peek(): Head | null;
  advance(): void;
}

/**
 * Takes up to `limit` heads in exact start order: highest effective weight, then lowest `seq` (section 4, A2). Every ledger that can
 * run code beside its rows claims through this one function, so the order is written once. Cost: O(limit × sources).
 */
export function mergeHeads<Head extends ReadyHead>(
  sources: readonly HeadSource<Head>[],
  ranking: Ranking,
  now: number,
  limit: number,
  take: (head: Head, source: HeadSource<Head>) => void,
): number {
  let taken = 0;
  while (taken < limit) {
    const best = bestSource(sources, ranking, now);
    if (best === null) break;
    const head = best.peek();
    if (head === null) break;
    take(head, best);
    best.advance();
    taken += 1;
  }
  return taken;
}

function bestSource<Head extends ReadyHead>(
  sources: readonly HeadSource<Head>[],
  ranking: Ranking,
  now: number,
): HeadSource<Head> | null {
  let best: HeadSource<Head> | null = null;
  let bestWeight = Number.NEGATIVE_INFINITY;
  let bestSeq = Number.POSITIVE_INFINITY;
  for (const source of sources) {
    const head = source.peek();
    if (head === null) continue;
    const weight = effectiveWeight(ranking, source.weight, head.since, now);
    if (weight > bestWeight || (weight === bestWeight && head.seq < bestSeq)) {
      best = source;
      bestWeight = weight;
      bestSeq = head.seq;
    }
  }
  return best;
}
