import {
  type AttemptRecord,
  type ChangeRecord,
  fence,
  nodeId,
  seq,
  taskId,
  taskKey,
  typeName,
  type Weight,
} from "@giveway/kernel";
import type {
  ClaimAnswer,
  ClaimedTask,
  ClaimRequest,
  InsertOutcome,
  NodeRecord,
  RememberedId,
  SettleOutcome,
  TaskHistory,
  UpcomingTask,
} from "@giveway/store";
import { outcomeOf, stateOf } from "../codes.ts";
import type { Cell, Row } from "../driver/driver.ts";
import { errorOf, logOf, overridesOf, recordOf } from "../queries/record.ts";
import {
  CLAIMED_MORE,
  CLAIMED_MORE_WIDTH,
  CLAIMED_STARTED,
  CLAIMED_WIDTH,
  type ClaimedBody,
  type ClaimReply,
  INSERTED_WIDTH,
  type InsertAnswer,
  SETTLED_WIDTH,
  type SettleReply,
} from "./calls.ts";
import type { HistoryRows, NodeRows } from "./reads.ts";

/** Flat cells back into the contract's objects. */
export function decodeInserted({ cells, known }: InsertAnswer, now: number): InsertOutcome[] {
  const outcomes: InsertOutcome[] = [];
  let nextKnown = 0;
  for (let at = 0; at < cells.length; at += INSERTED_WIDTH) {
    const key = cells[at] as number;
    if (key > 0) {
      const place = cells[at + 1] as number | null;
      const handedOff = cells[at + 2] === 1;
      outcomes.push({
        kind: "created",
        key: taskKey(key),
        seq: place === null ? null : seq(place),
        since: place === null ? null : now,
        handedOff,
      });
      continue;
    }
    const row = known[nextKnown] as Row;
    nextKnown += 1;
    outcomes.push(
      key === 0 ? { kind: "exists", task: recordOf(row) } : { kind: "remembered", remembered: rememberedOf(row) },
    );
  }
  return outcomes;
}

export function rememberedOf(row: Row): RememberedId {
  const [id, type, payloadHash, endedAt] = row as readonly [string, string, string, number];
  return { id: taskId(id), type: typeName(type), payloadHash, endedAt };
}

export function decodeClaim(reply: ClaimReply, request: ClaimRequest): ClaimAnswer {
  const tasks: ClaimedTask[] = [];
  const { tasks: cells, more } = reply;
  const bodies = bodiesInOrder(reply);
  let moreAt = 0;
  for (const [index, body] of bodies.entries()) {
    const at = index * CLAIMED_WIDTH;
    const fresh = claimedAt(cells, at, body, request);
    if (((cells[at + 4] as number) & CLAIMED_MORE) === 0) tasks.push(fresh);
    else {
      tasks.push(withMore(fresh, more, moreAt));
      moreAt += CLAIMED_MORE_WIDTH;
    }
  }
  return {
    tasks,
    left: { express: reply.left[0], standard: reply.left[1] },
    full: reply.full.map((type) => typeName(type)),
    overtakenUntil: { express: reply.until[0], standard: reply.until[1] },
    nextDueAt: reply.nextDueAt,
  };
}

/** SQLite reads the bodies in the order of the keys it is given, though it doesn't promise to: put right where that should ever change. */
function bodiesInOrder({ tasks, bodies }: ClaimReply): readonly ClaimedBody[] {
  const rows = bodies.flatMap((text) => JSON.parse(text) as ClaimedBody[]);
  if (rows.every(([key], index) => key === tasks[index * CLAIMED_WIDTH])) return rows;
  const byKey = new Map(rows.map((row) => [row[0], row]));
  return rows.map((_, index) => byKey.get(tasks[index * CLAIMED_WIDTH] as number) as ClaimedBody);
}

const FIRST_FENCE = fence(1);

/** A task as it is when it is taken for the first time. */
function claimedAt(
  cells: readonly number[],
  at: number,
  body: ClaimedBody,
  { queue, types }: ClaimRequest,
): ClaimedTask {
  const typeAndWeight = cells[at + 1] as number;
  const open = types[typeAndWeight >> 4] as ClaimRequest["types"][number];
  const started = ((cells[at + 4] as number) & CLAIMED_STARTED) !== 0;
  return {
    key: taskKey(body[0]),
    id: taskId(body[1]),
    type: open.type,
    queue,
    name: body[2],
    weight: (typeAndWeight & 15) as Weight,
    payload: body[3],
    overrides: overridesOf(body[4]),
    requestId: body[5],
    createdAt: body[6],
    dueAt: body[7],
    seq: seq(cells[at + 2] as number),
    since: cells[at + 3] as number,
    fence: FIRST_FENCE,
    attempt: started ? 1 : 0,
    started,
    failures: 0,
    losses: 0,
    noPrefetch: false,
    checkpoint: null,
  };
}

function withMore(fresh: ClaimedTask, more: readonly Cell[], at: number): ClaimedTask {
  return {
    ...fresh,
    dueAt: (more[at] as number | null) ?? fresh.dueAt,
    fence: fence(more[at + 1] as number),
    attempt: fresh.attempt + (more[at + 2] as number),
    failures: more[at + 3] as number,
    losses: more[at + 4] as number,
    noPrefetch: more[at + 5] === 1,
    checkpoint: more[at + 6] as string | null,
  };
}

const APPLIED: SettleOutcome = { kind: "applied", seq: null };

export function decodeSettled(cells: SettleReply, count: number): SettleOutcome[] {
  if (cells === null) return new Array<SettleOutcome>(count).fill(APPLIED);
  const outcomes: SettleOutcome[] = [];
  for (let at = 0; at < cells.length; at += SETTLED_WIDTH) {
    const value = cells[at + 1] as number | null;
    outcomes.push(
      cells[at] === 1
        ? { kind: "applied", seq: value === null ? null : seq(value) }
        : { kind: "refused", state: value === null ? null : stateOf(value) },
    );
  }
  return outcomes;
}

export function decodeHistory({ task, attempts, changes }: HistoryRows, own: AttemptRecord | null): TaskHistory {
  const ended = attempts.map(attemptOf);
  return {
    task: recordOf(task),
    attempts: own === null ? ended : [...ended, own],
    changes: changes.map((text) => JSON.parse(text) as ChangeRecord),
  };
}

function attemptOf(row: Row): AttemptRecord {
  const [attempt, outcome, node, startedAt, endedAt, error, log] = row as readonly [
    number,
    number | null,
    string | null,
    number | null,
    number | null,
    string | null,
    string | null,
  ];
  return {
    attempt,
    outcome: outcomeOf(outcome),
    node: node === null ? null : nodeId(node),
    startedAt,
    endedAt,
    error: errorOf(error),
    log: logOf(log),
  };
}

export function decodeUpcoming(row: Row): UpcomingTask {
  const [id, type, name, weight, place, since] = row as readonly [
    string,
    string,
    string | null,
    Weight,
    number,
    number,
  ];
  return { id: taskId(id), type: typeName(type), name, weight, seq: seq(place), since };
}

export function decodeNodes({ rows, ended, clock }: NodeRows, own: ReadonlySet<string>): NodeRecord[] {
  return rows.map(({ record }, index) => {
    const self = own.has(record.node);
    return { ...record, clock, provenDead: ended[index] === true && !self, self };
  });
}
