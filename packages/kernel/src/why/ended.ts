import { toIso } from "../instant.ts";
import type { AttemptRecord, EndReason } from "../task.ts";
import type { WhyCode, WhyReason } from "./codes.ts";
import type { WhyFacts } from "./facts.ts";
import { count, errorLine, moment, span } from "./words.ts";

/** Newest attempts and changes told one by one; what is older is in the history. */
const TOLD = 20;

/** How a task ended; nothing where it has not. */
export function endReasons(facts: WhyFacts): WhyReason[] {
  const { task, now } = facts;
  if (task.endReason === null || task.endedAt === null) return [];
  return [
    {
      code: `ended_${task.endReason}`,
      text: `${endText(facts, task.endReason)} It ended at ${moment(task.endedAt, now)}.`,
    },
  ];
}

function endText(facts: WhyFacts, reason: EndReason): string {
  const { task } = facts;
  const error = errorLine(task.lastError);
  switch (reason) {
    case "succeeded":
      return `Attempt ${task.attempt} succeeded.`;
    case "not_retryable":
      return `It is dead: attempt ${task.attempt} ended with an error that a repeat can't cure (${error}). Correct it and run it again.`;
    case "retries_exhausted":
      return `It is dead: ${count(task.failures, "retry", "retries")} used up, the last error was ${error}. Run it again once the cause is gone.`;
    case "invalid_payload":
      return `It is dead: its payload does not fit type ${task.type} (${error}). Edit it and run it again.`;
    case "poison":
      return `It is dead: ${task.losses} nodes died while they ran it, so it is taken for the cause. Run it again only once that is understood.`;
    case "by_hand":
      return `It was cancelled by ${lastBy(facts, "cancelled")}.`;
    case "expired":
      return `It was cancelled because it had not started by ${expiryOf(facts)}.`;
    case "shed":
      return "It was shed when it was submitted, because its lane was full; its id is free again.";
    case "replaced":
      return "A later submit with onDuplicate: replace took its place.";
  }
}

function lastBy(facts: WhyFacts, kind: "cancelled"): string {
  const change = facts.changes.filter((entry) => entry.kind === kind).at(-1);
  if (change === undefined) return "somebody";
  return change.cause === null ? change.by : `${change.by} (${change.cause})`;
}

function expiryOf(facts: WhyFacts): string {
  const { expires } = facts.task.overrides;
  return expires === undefined ? "its expiry" : toIso(expires);
}

/** What happened to a task so far: each attempt's end, refused answers, changes, and whether it may have run twice. */
export function pastReasons(facts: WhyFacts): WhyReason[] {
  const ended = facts.attempts.filter((attempt) => attempt.outcome !== null);
  return [
    ...ended.slice(-TOLD).flatMap(attemptReason),
    ...facts.refused.slice(-TOLD).map((answer) => ({
      code: "late_answer" as const,
      text: `${answer.attempt === null ? "An attempt" : `Attempt ${answer.attempt}`} reported ${answer.outcome} at ${moment(answer.at, facts.now)}, after it had lost the task: its fencing token was out of date, and the report was refused.`,
    })),
    ...twiceReason(facts, ended),
    ...facts.changes.slice(-TOLD).map((change) => ({
      code: "changed" as const,
      text: `It was ${change.kind} by ${change.by} at ${moment(change.at, facts.now)}${change.cause === null ? "" : ` (${change.cause})`}.`,
    })),
  ];
}

function attemptReason(attempt: AttemptRecord): WhyReason[] {
  if (attempt.outcome === null) return [];
  const code: WhyCode = `attempt_${attempt.outcome}`;
  const { startedAt, endedAt } = attempt;
  const ran = startedAt === null || endedAt === null ? "" : ` after ${span(endedAt - startedAt)}`;
  const where = attempt.node === null ? "" : ` on ${attempt.node}`;
  const error = attempt.error === null ? "" : `: ${errorLine(attempt.error)}`;
  return [{ code, text: `Attempt ${attempt.attempt}${where} ended as ${attempt.outcome}${ran}${error}.` }];
}

/** Ends after which a handler's effects may stand although the attempt does not count. */
const UNSURE: ReadonlySet<string> = new Set(["lost", "timed_out", "released", "cancelled"]);

function twiceReason(facts: WhyFacts, ended: readonly AttemptRecord[]): WhyReason[] {
  const { task } = facts;
  const isOvertaken = ({ attempt }: AttemptRecord) => attempt < task.attempt || task.state === "waiting";
  const unsure = ended.filter((attempt) => UNSURE.has(attempt.outcome ?? "") && isOvertaken(attempt));
  if (unsure.length === 0 && !task.noPrefetch) return [];
  const what =
    unsure.length > 0
      ? `Attempt ${unsure.map(({ attempt }) => attempt).join(", ")} started and may have done its work before it ended`
      : "A node died that had claimed it and may have started it";
  return [
    {
      code: "ran_twice",
      text: `${what}, and it was started again since or will be. Every attempt carries the request id ${task.requestId}, by which the handler can tell a repeat.`,
    },
  ];
}
