import { estimateStart } from "../admission/estimate.ts";
import { laneUnder } from "../priority/policy.ts";
import type { Lane } from "../weight.ts";
import type { WhyReason } from "./codes.ts";
import type { WhyFacts, WhyQueue, WhyType } from "./facts.ts";
import { orderReasons } from "./order.ts";
import { count, errorLine, moment, span } from "./words.ts";

/** Why a waiting task has not started: what stops it altogether first, then what it waits for, then how it stands in the order. */
export function waitingReasons(facts: WhyFacts): WhyReason[] {
  const stops = stopReasons(facts);
  const ahead = facts.task.dueAt > facts.now && facts.task.since === null;
  const waits = ahead ? [dueReason(facts)] : readyReasons(facts, stops.length > 0);
  // A due time that lies ahead comes first: until then nothing else matters.
  return ahead ? [...waits, ...stops, ...orderReasons(facts)] : [...stops, ...waits, ...orderReasons(facts)];
}

/** When a waiting task is expected to start; null where something stops it, or nothing has been measured. */
export function startEstimate(facts: WhyFacts): number | null {
  const { task, queue, position, now } = facts;
  if (stopReasons(facts).length > 0) return null;
  if (task.since === null && task.dueAt > now) return task.dueAt;
  if (queue === null || position === null) return null;
  const lane = laneUnder(queue.policy, task.weight);
  const isFree = freeSlot(queue, lane) === "free";
  if (isFree && position.ahead === 0 && (lane === "express" || position.express === 0)) return now;
  if (queue.meanRun === null) return null;
  const slotsForLane = slotsOf(queue, lane, position.express > 0);
  const wait = estimateStart({ ahead: position.ahead, slotsForLane, meanRun: queue.meanRun });
  return wait === null ? null : now + wait;
}

/** What keeps it from starting anywhere, whatever its place. */
function stopReasons(facts: WhyFacts): WhyReason[] {
  const { task, nodes, queue, type, now } = facts;
  const reasons: WhyReason[] = [];
  if (queue !== null && queue.paused !== null) {
    const { by, at } = queue.paused;
    reasons.push({
      code: "paused_queue",
      text: `Queue ${task.queue} was paused by ${by} at ${moment(at, now)}; resume it.`,
    });
  }
  if (type !== null && type.paused !== null) {
    const { by, at } = type.paused;
    reasons.push({
      code: "paused_type",
      text: `Type ${task.type} was paused by ${by} at ${moment(at, now)}; resume it.`,
    });
  }
  if (nodes.alive === 0) {
    reasons.push({ code: "no_node_alive", text: "No node is alive: start one that has a handler for its type." });
  } else if (nodes.knowing === 0) {
    reasons.push({
      code: "no_node_knows_type",
      text: `${count(nodes.alive, "node is", "nodes are")} alive, but none has a handler for type ${task.type}: check the type's name and which tasks the nodes were given.`,
    });
  } else if (type?.stopped === true && nodes.knowing === 1) {
    reasons.push(stoppedReason(facts, type));
  }
  return reasons;
}

function stoppedReason(facts: WhyFacts, type: WhyType): WhyReason {
  return {
    code: "type_stopped",
    text: `${count(type.zombies, "handler", "handlers")} of type ${facts.task.type} went on after a time-out and fill${type.zombies === 1 ? "s" : ""} its slots on this node, so it starts no more of them: make the handler obey ctx.signal, and restart the node.`,
  };
}

/** Why its due time lies ahead. */
function dueReason(facts: WhyFacts): WhyReason {
  const { task, now } = facts;
  const at = moment(task.dueAt, now);
  if (task.lastOutcome === "snoozed") {
    return { code: "snooze_wait", text: `Its handler put itself off until ${at}; that used up no retry.` };
  }
  if (task.failures > 0) {
    const of = facts.maxRetries === null ? "" : ` of ${facts.maxRetries}`;
    const error = errorLine(task.lastError);
    return {
      code: "retry_wait",
      text: `Attempt ${task.attempt} ended as ${task.lastOutcome ?? "failed"}${error === "" ? "" : ` (${error})`}; retry ${task.failures}${of} is due at ${at}. It holds no slot meanwhile.`,
    };
  }
  return { code: "due_time", text: `It is due at ${at}.` };
}

/** What a task waits for whose due time has come. */
function readyReasons(facts: WhyFacts, stopped: boolean): WhyReason[] {
  const { task, queue, type, nodes, now } = facts;
  if (task.since === null) {
    const late = span(now - task.dueAt);
    return [
      { code: "due", text: `It has been due for ${late}; the next claim of queue ${task.queue} makes it ready.` },
    ];
  }
  if (queue === null || type === null || !nodes.dispatching) {
    if (stopped) return [];
    const others = count(nodes.knowing, "node has", "nodes have");
    return [
      {
        code: "elsewhere",
        text: `This node can't start it. ${others} a handler for it; ask there for slots and place.`,
      },
    ];
  }
  const reasons = [...boundReasons(facts, type), ...slotReasons(facts, queue), ...queueReasons(facts, queue)];
  if (reasons.length > 0 || stopped) return reasons;
  return [
    {
      code: "next",
      text: `Nothing blocks it: it has been ready for ${span(now - task.since)} and starts with the next claim of queue ${task.queue}.`,
    },
  ];
}

function boundReasons(facts: WhyFacts, type: WhyType): WhyReason[] {
  if (type.stopped) return facts.nodes.knowing === 1 ? [] : [stoppedReason(facts, type)];
  if (type.running < type.bound) return [];
  return [
    {
      code: "type_bound",
      text: `${type.running} of at most ${count(type.bound, "task")} of type ${facts.task.type} run at a time; other types are not held up by it.`,
    },
  ];
}

function slotReasons(facts: WhyFacts, queue: WhyQueue): WhyReason[] {
  const { task } = facts;
  const { usage } = queue;
  const lane = laneUnder(queue.policy, task.weight);
  const free = freeSlot(queue, lane);
  if (free === "free") return [];
  const reasons: WhyReason[] = [];
  if (free === "taken") {
    const extra = queue.burst - queue.slots;
    const burst = mayBurst(queue, lane) ? ` and ${usage.burst} of ${count(extra, "burst slot")}` : "";
    reasons.push({
      code: "slots",
      text: `${usage.express + usage.standard} of ${count(queue.slots, "slot")}${burst} of queue ${task.queue} are taken (express ${usage.express}, standard ${usage.standard}); it stays safe in the ledger until one is free.`,
    });
  }
  if (isAtCap(queue, lane)) {
    const why = queue.policy === "isolated" ? "the lanes lend each other none" : "standard work waits for the rest";
    reasons.push({
      code: "share",
      text: `Express holds ${usage.express} of the ${queue.cap} slots it may have of ${queue.slots}: ${why}.`,
    });
  }
  return reasons;
}

function queueReasons(facts: WhyFacts, queue: WhyQueue): WhyReason[] {
  const { position, task } = facts;
  if (position === null) return [];
  const reasons: WhyReason[] = [];
  if (position.express > 0 && laneUnder(queue.policy, task.weight) === "standard" && queue.policy !== "isolated") {
    reasons.push({
      code: "express_first",
      text: `${atLeast(position.express, position.limit)} express ${position.express === 1 ? "task waits" : "tasks wait"} and may hold ${queue.cap} of ${count(queue.slots, "slot")} while standard work waits; the rest is kept for standard work.`,
    });
  }
  if (position.ahead > 0) {
    reasons.push({
      code: "ahead",
      text: `${atLeast(position.ahead, position.limit)} ${position.ahead === 1 ? "task of its lane starts" : "tasks of its lane start"} before it.`,
    });
  }
  return reasons;
}

function atLeast(n: number, limit: number): string {
  return n >= limit ? `at least ${limit}` : String(n);
}

/** Whether a lane could start one more task: yes, no slot is free, or only its own part is used up. */
function freeSlot(queue: WhyQueue, lane: Lane): "free" | "taken" | "capped" {
  const { usage, slots, burst } = queue;
  if (mayBurst(queue, lane) && usage.burst < burst - slots) return "free";
  const baseFree = usage.express + usage.standard < slots;
  if (queue.policy === "isolated") {
    const own = lane === "express" ? queue.cap - usage.express : slots - queue.cap - usage.standard;
    return own > 0 ? "free" : lane === "express" ? "capped" : "taken";
  }
  if (!baseFree) return "taken";
  return isAtCap(queue, lane) ? "capped" : "free";
}

/** Standard slots are never taken from express, so the cap only ever holds up the express lane. */
function isAtCap(queue: WhyQueue, lane: Lane): boolean {
  if (lane !== "express" || (queue.policy !== "express" && queue.policy !== "isolated")) return false;
  return queue.usage.express >= queue.cap && (queue.standardWaits || queue.policy === "isolated");
}

function mayBurst(queue: WhyQueue, lane: Lane): boolean {
  if (queue.burst <= queue.slots || queue.policy === "isolated") return false;
  return queue.burstFor === "all" || (lane === "express" && queue.policy !== "fifo");
}

/** The slots a lane can count on, for an estimate. */
function slotsOf(queue: WhyQueue, lane: Lane, expressWaits: boolean): number {
  const extra = mayBurst(queue, lane) ? queue.burst - queue.slots : 0;
  if (queue.policy === "ladder" || queue.policy === "strict" || queue.policy === "fifo") return queue.slots + extra;
  if (lane === "express") return (queue.standardWaits ? queue.cap : queue.slots) + extra;
  return Math.max(1, expressWaits ? queue.slots - queue.cap : queue.slots) + extra;
}
