/**
 * # The order of turns of group commit
 *
 * A real store has one writer. Whatever calls are pending when its last commit returns go into the next one; this queue says which:
 *
 * 1. `settle` (settlements, starts, progress), then `claim`, then `change` (changes, removals, settings, nodes, upkeep), then `express`
 *    inserts, then `normal` inserts. Within a turn: first come, first served. A call is never split.
 * 2. `bulk` inserts last, at most `bulkRows` rows a commit, in slices. Several bulk calls take turns, so that a short one need not wait
 *    for the end of a long one.
 * 3. A commit carries at most `maxOps` operations, of which `bulkRows` are kept for bulk inserts while any wait. Past the bound the first
 *    waiting call of each turn still goes in: a call larger than the bound gets through, and no turn starves however busy the ones before it are.
 *
 * So a `submitMany` of a million rows delays a critical task by one commit with at most `bulkRows` of its rows, and itself always moves.
 *
 * The queue knows no store and no promises: it hands out parts of calls, and the store answers whoever waits.
 */
export const COMMIT_TURNS = ["settle", "claim", "change", "express", "normal", "bulk"] as const;
export type CommitTurn = (typeof COMMIT_TURNS)[number];

export interface CommitQueueOptions {
  /** Operations in one commit; 2 000. */
  readonly maxOps?: number;
  /** Rows of bulk inserts in one commit; 500. */
  readonly bulkRows?: number;
}

/** The operations `from` (inclusive) to `to` (exclusive) of one call. Only bulk calls come in several parts, in order. */
export interface CommitPart<Call> {
  readonly call: Call;
  readonly turn: CommitTurn;
  readonly from: number;
  readonly to: number;
  /** The call is complete with this part. */
  readonly last: boolean;
}

interface Waiting<Call> {
  readonly call: Call;
  readonly size: number;
  /** How many of its operations are in earlier commits. */
  taken: number;
}

const DEFAULT_MAX_OPS = 2_000;
const DEFAULT_BULK_ROWS = 500;
const WHOLE_TURNS = ["settle", "claim", "change", "express", "normal"] as const satisfies readonly CommitTurn[];

export class CommitQueue<Call> {
  readonly #maxOps: number;
  readonly #bulkRows: number;
  readonly #lines: Readonly<Record<CommitTurn, Line<Waiting<Call>>>> = {
    settle: new Line(),
    claim: new Line(),
    change: new Line(),
    express: new Line(),
    normal: new Line(),
    bulk: new Line(),
  };
  #calls = 0;

  constructor(options: CommitQueueOptions = {}) {
    this.#maxOps = Math.max(1, options.maxOps ?? DEFAULT_MAX_OPS);
    this.#bulkRows = Math.max(1, options.bulkRows ?? DEFAULT_BULK_ROWS);
  }

  /** Calls that are not completely handed out yet. */
  get calls(): number {
    return this.#calls;
  }

  /** Adds a call of `size` operations. One without operations still gets its turn, so that it is answered in order. */
  enqueue(turn: CommitTurn, call: Call, size: number): void {
    this.#lines[turn].push({ call, size, taken: 0 });
    this.#calls += 1;
  }

  /** What goes in the next commit, in the order to execute it; empty where nothing waits. */
  nextBatch(): CommitPart<Call>[] {
    const parts: CommitPart<Call>[] = [];
    const bulkWaits = this.#lines.bulk.length > 0;
    const room = bulkWaits ? Math.max(0, this.#maxOps - this.#bulkRows) : this.#maxOps;
    let ops = 0;
    for (const turn of WHOLE_TURNS) ops = this.#takeWhole(turn, ops, room, parts);
    if (bulkWaits) this.#takeBulk(parts);
    return parts;
  }

  /** Removes a bulk call's remaining rows after a part of it failed; false where nothing of it waits. */
  withdraw(call: Call): boolean {
    for (const turn of COMMIT_TURNS) {
      if (this.#lines[turn].remove((waiting) => waiting.call === call)) {
        this.#calls -= 1;
        return true;
      }
    }
    return false;
  }

  /** Empties the queue and answers what waited, in order of turns: the ledger closed or failed, and each has to be told. */
  clear(): Call[] {
    const calls: Call[] = [];
    for (const turn of COMMIT_TURNS) {
      for (let next = this.#lines[turn].shift(); next !== undefined; next = this.#lines[turn].shift()) {
        calls.push(next.call);
      }
    }
    this.#calls = 0;
    return calls;
  }

  #takeWhole(turn: CommitTurn, opsBefore: number, room: number, parts: CommitPart<Call>[]): number {
    const line = this.#lines[turn];
    let ops = opsBefore;
    let first = true;
    for (let next = line.peek(); next !== undefined; next = line.peek()) {
      if (!first && ops + next.size > room) break;
      line.shift();
      this.#calls -= 1;
      parts.push({ call: next.call, turn, from: 0, to: next.size, last: true });
      ops += next.size;
      first = false;
    }
    return ops;
  }

  #takeBulk(parts: CommitPart<Call>[]): void {
    const line = this.#lines.bulk;
    let rows = this.#bulkRows;
    // What is not used up goes to the back of the line, so a call has at most one part in a commit.
    for (let turns = line.length; turns > 0 && rows > 0; turns -= 1) {
      const next = line.shift();
      if (next === undefined) break;
      const from = next.taken;
      const to = Math.min(next.size, from + rows);
      const last = to === next.size;
      parts.push({ call: next.call, turn: "bulk", from, to, last });
      rows -= to - from;
      next.taken = to;
      if (last) this.#calls -= 1;
      else line.push(next);
    }
  }
}

/** First in, first out, in amortised constant time at any length. */
class Line<Item> {
  #items: Item[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  peek(): Item | undefined {
    return this.#items[this.#head];
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    const drained = this.#head === this.#items.length;
    if (drained || (this.#head > 1_024 && this.#head * 2 > this.#items.length)) {
      this.#items = drained ? [] : this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  remove(wanted: (item: Item) => boolean): boolean {
    const at = this.#items.findIndex((item, index) => index >= this.#head && wanted(item));
    if (at < 0) return false;
    this.#items.splice(at, 1);
    return true;
  }
}
