import type { Fence, Settlement, TaskKey } from "@giveway/kernel";
import type { ClaimedTask, SettleOp, SettleOutcome } from "@giveway/store";
import type { EngineEvent, EventSink, TaskFacts } from "../ports.ts";

export interface FinishFacts {
  readonly claim: Pick<ClaimedTask, "key" | "fence">;
  readonly facts: TaskFacts;
  readonly settlement: Settlement;
  /** ms of running; 0 where no handler was called. */
  readonly run: number;
}

/** Told when the ledger answered: what waits again has to be looked for again. */
export interface FinishOwner {
  settled(finish: Finish, applied: boolean): void;
}

/** A decided end on its way into the ledger. What happened is told only once it is true there. */
export class Finish implements SettleOp {
  readonly key: TaskKey;
  readonly fence: Fence;
  readonly settlement: Settlement;
  readonly facts: TaskFacts;
  readonly #run: number;
  readonly #owner: FinishOwner;
  /** It was sent before and the answer got lost: a refusal may come from its own first writing. */
  doubt = false;

  constructor({ claim, facts, settlement, run }: FinishFacts, owner: FinishOwner) {
    this.key = claim.key;
    this.fence = claim.fence;
    this.settlement = settlement;
    this.facts = facts;
    this.#run = run;
    this.#owner = owner;
  }

  report(outcome: SettleOutcome, at: number, events: EventSink): void {
    const own = outcome.kind === "refused" && this.doubt && outcome.state === this.settlement.state;
    const applied = outcome.kind === "applied" || own;
    if (applied) this.#tell(at, events);
    else if (isAnswer(this.settlement)) events.emit(this.#late(at, outcome.kind === "refused" ? outcome.state : null));
    this.#owner.settled(this, applied);
  }

  #late(at: number, state: string | null): EngineEvent {
    const outcome = this.settlement.outcome ?? "";
    return { kind: "late_answer", at, task: this.facts, data: { outcome, run: this.#run, reason: state ?? "removed" } };
  }

  #tell(at: number, events: EventSink): void {
    const { facts: task, settlement } = this;
    const run = this.#run;
    switch (settlement.event) {
      case "succeed":
        events.emit({
          kind: "succeeded",
          at,
          task,
          data: { run, result: settlement.result, retries: settlement.failures },
        });
        return;
      case "retry":
      case "bury":
        this.#tellFailure(at, events);
        return;
      case "release":
      case "giveWay":
        events.emit({ kind: "released", at, task, data: { run } });
        return;
      case "snooze":
        events.emit({ kind: "snoozed", at, task, data: { run, delay: settlement.dueAt - settlement.endedAt } });
        return;
      case "expire":
        events.emit({ kind: "cancelled", at, task, data: { reason: "expired" } });
        return;
      case "cancel":
      case "unclaim":
        return;
    }
  }

  #tellFailure(at: number, events: EventSink): void {
    const { facts: task, settlement } = this;
    const { outcome } = settlement;
    const error = settlement.error ?? { name: "Error", message: "unknown" };
    const run = this.#run;
    if (outcome === "failed" || outcome === "timed_out" || outcome === "lost") {
      events.emit({ kind: outcome, at, task, data: { run, error, outcome } });
    }
    if (settlement.state === "waiting") {
      const delay = Math.max(0, settlement.dueAt - settlement.endedAt);
      events.emit({ kind: "retrying", at, task, data: { nth: settlement.failures, delay, error } });
      return;
    }
    const reason = settlement.endReason ?? "not_retryable";
    events.emit({ kind: "dead", at, task, data: { reason, retries: settlement.failures, error } });
  }
}

/** What a handler's own end led to. A task handed back that is no longer this node's is nothing that came late. */
function isAnswer({ event }: Settlement): boolean {
  return event !== "unclaim" && event !== "release" && event !== "expire";
}
