import type { Weight } from "../weight.ts";
import { overtakenUntil } from "./order-bound.ts";
import type { Ranking } from "./policy.ts";

/** A task that starts. */
export interface StartedTask {
  readonly seq: number;
  readonly since: number;
}

/** A head left behind: the first ready task of an open stream and base weight of the same lane. */
export interface LeftHead extends StartedTask {
  readonly weight: Weight;
}

/** One broken promise: who overtook whom, and until when that would have been right. */
export interface OrderBreach {
  readonly started: StartedTask;
  readonly overtaken: LeftHead;
  readonly until: number;
}

/**
 * Counts broken promises of part (a) at every start; the count must stay zero (metric and alert). It knows the stated bound only, nothing
 * of effective weights or of how the queue picks, so that an error there can't hide here.
 *
 * Heads suffice: of one stream and base weight the head has the lowest `seq` and the oldest `since`, hence the earliest bound.
 */
export class OrderChecker {
  #starts = 0;
  #breaches = 0;
  #last: OrderBreach | null = null;

  get starts(): number {
    return this.#starts;
  }

  get breaches(): number {
    return this.#breaches;
  }

  /** The latest one, for the log. */
  get last(): OrderBreach | null {
    return this.#last;
  }

  /** Checks one start against the heads left behind in its lane. Counts a start that breaks several promises once, and returns one of them. */
  check(ranking: Ranking, started: StartedTask, left: Iterable<LeftHead>): OrderBreach | null {
    this.#starts += 1;
    for (const head of left) {
      // Who became ready first overtakes nobody; at the same ms only `seq` can tell.
      if (started.seq <= head.seq) continue;
      const until = overtakenUntil(ranking, head.weight, head.since);
      if (started.since < until) continue;
      this.#breaches += 1;
      this.#last = { started, overtaken: head, until };
      return this.#last;
    }
    return null;
  }

  /**
   * Checks what a claim took against the earliest bound among the heads it left, as stores report it. That number carries no `seq`, so a
   * task ready in that very ms gets the benefit of the doubt. Answers how many broke the promise.
   */
  checkClaim(claimed: Iterable<Pick<StartedTask, "since">>, earliest: number | null): number {
    let broken = 0;
    for (const task of claimed) {
      this.#starts += 1;
      if (earliest !== null && task.since > earliest) broken += 1;
    }
    this.#breaches += broken;
    return broken;
  }
}
