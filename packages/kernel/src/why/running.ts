import type { WhyReason } from "./codes.ts";
import type { WhyFacts, WhyHolder } from "./facts.ts";
import { moment, span } from "./words.ts";

/** Where a running task is, whether its node is alive, and how long it may go on. */
export function runningReasons(facts: WhyFacts): WhyReason[] {
  return [holdReason(facts), leaseReason(facts), ...localReasons(facts)];
}

function holdReason(facts: WhyFacts): WhyReason {
  const { task, now, local } = facts;
  const node = facts.holder?.label ?? task.node ?? "an unknown node";
  const startedAt = task.startedAt ?? local?.startedAt ?? null;
  if (startedAt !== null) {
    return {
      code: "running",
      text: `Attempt ${task.attempt + (task.startedAt === null ? 1 : 0)} runs on ${node} since ${moment(startedAt, now)}.`,
    };
  }
  const claimed = task.claimedAt === null ? "" : ` at ${moment(task.claimedAt, now)}`;
  return {
    code: "dispatched",
    text: `${node} claimed it${claimed} and has not recorded its start; unstarted claims go back to their place after a second, and all of them if the node dies.`,
  };
}

function leaseReason(facts: WhyFacts): WhyReason {
  const { holder, task } = facts;
  if (holder === null) {
    return {
      code: "node_unknown",
      text: `The ledger does not know node ${task.node ?? "of this task"}; the next sweep takes its tasks over.`,
    };
  }
  if (holder.declaredDead || holder.provenDead) {
    const how = holder.declaredDead ? "was declared dead" : "has ended, as its process shows";
    return { code: "node_dead", text: `${holder.label} ${how}; ${aftermath()}` };
  }
  if (holder.silence >= holder.lease) return { code: "lease_expired", text: expiredText(holder) };
  return {
    code: "lease_held",
    text: `${holder.label} renewed its lease ${span(holder.silence)} ago; it holds for ${span(holder.lease - holder.silence)} more.`,
  };
}

function expiredText(holder: WhyHolder): string {
  return `${holder.label} has been silent for ${span(holder.silence)}, longer than its lease of ${span(holder.lease)}: it starts nothing any more and its answers are refused once it is declared dead; ${aftermath()}`;
}

function aftermath(): string {
  return "the next sweep takes its tasks over, and each starts again as a new attempt.";
}

/** What only the node that runs it knows. */
function localReasons(facts: WhyFacts): WhyReason[] {
  const { local, now } = facts;
  if (local === null) return [];
  const reasons = leftoverReasons(facts);
  if (local.phase === "running" && local.timeoutAt !== null) {
    const text =
      local.timeoutAt > now
        ? `Its time-out fires at ${moment(local.timeoutAt, now)}.`
        : `Its time-out fired at ${moment(local.timeoutAt, now)}; it has its grace to end.`;
    reasons.push({ code: "time_out", text });
  }
  return reasons;
}

/** A handler that goes on although its attempt is over: told in every state, since it may still have effects. */
export function leftoverReasons(facts: WhyFacts): WhyReason[] {
  const { local, now, task } = facts;
  if (local === null) return [];
  const since = local.startedAt === null ? "" : `, running since ${moment(local.startedAt, now)}`;
  if (local.phase === "settling") {
    return [
      {
        code: "settling",
        text: `Its handler was told to stop and has not ended yet${since}; it holds its slot until then.`,
      },
    ];
  }
  if (local.phase === "zombie") {
    return [
      {
        code: "zombie",
        text: `A handler of it goes on after its time-out${since}: its answer no longer counts, and it holds a place in the bound of type ${task.type} until it ends.`,
      },
    ];
  }
  return [];
}
