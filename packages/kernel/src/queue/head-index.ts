import { effectiveWeight } from "../priority/effective-weight.ts";
import type { ReadyHead } from "../priority/merge-heads.ts";
import type { Ranking } from "../priority/policy.ts";
import type { Weight } from "../weight.ts";

/**
 * The heads of all open streams for one base weight, as a tournament tree: each inner node knows the lowest `seq` below it and who has
 * it, and the oldest `since` below it. A change of one head costs O(log streams); so does finding the best one in the usual case.
 *
 * Why two values. All heads here have the same base weight w, so their effective weights differ only by `since`, and an older `since`
 * never counts less (`effectiveWeight` never falls with waiting). Let e be the effective weight of the oldest `since` in the tree: no head
 * has more. Therefore
 * 1. if the head with the lowest `seq` has e, it is the best: none has more, and among equals it comes first;
 * 2. else the best is the lowest `seq` among the heads that have e, and a subtree whose oldest `since` has less than e holds none of them.
 *
 * Case 1 is always met while `since` grows with `seq`, which is how both are handed out. Case 2 arises when a clock was set back or nodes
 * disagree about the time; it visits only subtrees that hold a candidate, so it stays exact, and cheap unless many are out of order.
 */
export class HeadIndex<Head extends ReadyHead> {
  #leaves: (Head | null)[] = [null];
  /** Node n has the children 2n and 2n + 1; the leaves begin at `#leaves.length`. */
  #lowest: Float64Array = new Float64Array(2).fill(Number.POSITIVE_INFINITY);
  #holder: Int32Array = new Int32Array(2);
  #oldest: Float64Array = new Float64Array(2).fill(Number.POSITIVE_INFINITY);

  /** States the head of the stream with this number, or that it has none to offer. */
  set(stream: number, head: Head | null): void {
    if (stream >= this.#leaves.length) {
      if (head === null) return;
      this.#grow(stream + 1);
    }
    this.#leaves[stream] = head;
    let node = this.#leaves.length + stream;
    this.#lowest[node] = head === null ? Number.POSITIVE_INFINITY : head.seq;
    this.#oldest[node] = head === null ? Number.POSITIVE_INFINITY : head.since;
    this.#holder[node] = stream;
    for (node >>= 1; node >= 1; node >>= 1) this.#combine(node);
  }

  get empty(): boolean {
    return this.#lowest[1] === Number.POSITIVE_INFINITY;
  }

  /** The head that starts first at `now`, or null. */
  best(ranking: Ranking, weight: Weight, now: number): Head | null {
    if (this.empty) return null;
    const first = this.#leaves[this.#holder[1]!]!;
    const most = effectiveWeight(ranking, weight, this.#oldest[1]!, now);
    if (effectiveWeight(ranking, weight, first.since, now) === most) return first;
    return this.#lowestWith(1, most, ranking, weight, now, null);
  }

  #lowestWith(
    node: number,
    most: number,
    ranking: Ranking,
    weight: Weight,
    now: number,
    found: Head | null,
  ): Head | null {
    if (found !== null && this.#lowest[node]! >= found.seq) return found;
    if (this.#lowest[node] === Number.POSITIVE_INFINITY) return found;
    if (effectiveWeight(ranking, weight, this.#oldest[node]!, now) < most) return found;
    if (node >= this.#leaves.length) return this.#leaves[node - this.#leaves.length]!;
    const left = this.#lowestWith(2 * node, most, ranking, weight, now, found);
    return this.#lowestWith(2 * node + 1, most, ranking, weight, now, left);
  }

  #combine(node: number): void {
    const left = 2 * node;
    const right = left + 1;
    const winner = this.#lowest[left]! <= this.#lowest[right]! ? left : right;
    this.#lowest[node] = this.#lowest[winner]!;
    this.#holder[node] = this.#holder[winner]!;
    this.#oldest[node] = Math.min(this.#oldest[left]!, this.#oldest[right]!);
  }

  #grow(streams: number): void {
    const old = this.#leaves;
    let size = old.length;
    while (size < streams) size *= 2;
    this.#leaves = new Array<Head | null>(size).fill(null);
    this.#lowest = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
    this.#holder = new Int32Array(2 * size);
    this.#oldest = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
    for (const [stream, head] of old.entries()) this.set(stream, head);
  }
}
