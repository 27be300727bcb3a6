import {
  fence,
  type LogLine,
  nodeId,
  queueName,
  type StoredError,
  seq,
  type TaskOverrides,
  type TaskRecord,
  taskId,
  taskKey,
  typeName,
  type Weight,
} from "@giveway/kernel";
import { outcomeOf, reasonOf, stateOf } from "../codes.ts";
import type { Row } from "../driver/driver.ts";

/**
 * One task as the contract shows it, from the tables that hold its parts. What is in `running` wins over `state`, which wins over what was
 * submitted. CROSS JOIN keeps the planner from starting with the small tables of names and sorting what comes out. Log and progress of an attempt before are not shown once a new one has started, so a start need not clear them.
 */
export const RECORDS = `
SELECT t.key AS key, t.stream AS stream, t.id AS id, st.type AS type, q.name AS queue, t.name AS name,
  CASE WHEN r.key IS NOT NULL THEN 1 ELSE coalesce(s.state, 0) END AS state,
  coalesce(r.weight, s.weight, t.weight) AS weight,
  t.payload AS payload, t.overrides AS overrides, t.request_id AS request_id, t.rerun_of AS rerun_of,
  t.created_at AS created_at,
  coalesce(r.updated_at, s.updated_at, t.created_at) AS updated_at,
  coalesce(s.due_at, t.due_at) AS due_at,
  CASE WHEN r.key IS NOT NULL THEN r.seq WHEN s.key IS NOT NULL THEN s.seq ELSE t.seq END AS seq,
  CASE WHEN r.key IS NOT NULL THEN r.since WHEN s.key IS NOT NULL THEN s.since ELSE t.since END AS since,
  coalesce(r.fence, s.fence, 0) AS fence,
  coalesce(r.version, s.version, 1) AS version,
  coalesce(r.attempt, s.attempt, 0) AS attempt,
  coalesce(s.failures, 0) AS failures, coalesce(s.losses, 0) AS losses, coalesce(s.no_prefetch, 0) AS no_prefetch,
  CASE WHEN r.key IS NOT NULL THEN rn.id ELSE sn.id END AS node,
  CASE WHEN r.key IS NOT NULL THEN r.claimed_at ELSE s.claimed_at END AS claimed_at,
  CASE WHEN r.key IS NOT NULL THEN r.started_at ELSE s.started_at END AS started_at,
  s.ended_at AS ended_at, s.last_outcome AS last_outcome, s.last_error AS last_error, s.end_reason AS end_reason,
  s.result AS result,
  CASE WHEN r.started_at IS NOT NULL THEN r.progress ELSE coalesce(r.progress, s.progress) END AS progress,
  s.checkpoint AS checkpoint,
  CASE WHEN r.started_at IS NOT NULL THEN NULL ELSE s.log END AS log
FROM task t
CROSS JOIN stream st ON st.id = t.stream
CROSS JOIN queue q ON q.id = st.queue
LEFT JOIN state s ON s.key = t.key
LEFT JOIN running r ON r.key = t.key
LEFT JOIN node sn ON sn.number = s.node
LEFT JOIN node rn ON rn.number = r.node`;

const NO_OVERRIDES: TaskOverrides = {};
const NO_LOG: readonly LogLine[] = [];

type RecordRow = readonly [
  key: number,
  stream: number,
  id: string,
  type: string,
  queue: string,
  name: string | null,
  state: number,
  weight: number,
  payload: string,
  overrides: string | null,
  requestId: string,
  rerunOf: string | null,
  createdAt: number,
  updatedAt: number,
  dueAt: number,
  seq: number | null,
  since: number | null,
  fence: number,
  version: number,
  attempt: number,
  failures: number,
  losses: number,
  noPrefetch: number,
  node: string | null,
  claimedAt: number | null,
  startedAt: number | null,
  endedAt: number | null,
  lastOutcome: number | null,
  lastError: string | null,
  endReason: number | null,
  result: string | null,
  progress: string | null,
  checkpoint: string | null,
  log: string | null,
];

/** Reads a row of `RECORDS`. */
export function recordOf(row: Row): TaskRecord {
  const cells = row as unknown as RecordRow;
  return {
    key: taskKey(cells[0]),
    id: taskId(cells[2]),
    type: typeName(cells[3]),
    queue: queueName(cells[4]),
    name: cells[5],
    state: stateOf(cells[6]),
    weight: cells[7] as Weight,
    payload: cells[8],
    overrides: overridesOf(cells[9]),
    requestId: cells[10],
    rerunOf: cells[11] === null ? null : taskId(cells[11]),
    createdAt: cells[12],
    updatedAt: cells[13],
    dueAt: cells[14],
    seq: cells[15] === null ? null : seq(cells[15]),
    since: cells[16],
    fence: fence(cells[17]),
    version: cells[18],
    attempt: cells[19],
    failures: cells[20],
    losses: cells[21],
    noPrefetch: cells[22] === 1,
    node: cells[23] === null ? null : nodeId(cells[23]),
    claimedAt: cells[24],
    startedAt: cells[25],
    endedAt: cells[26],
    lastOutcome: outcomeOf(cells[27]),
    lastError: errorOf(cells[28]),
    endReason: reasonOf(cells[29]),
    result: cells[30],
    progress: cells[31],
    checkpoint: cells[32],
    log: logOf(cells[33]),
  };
}

/** NULL stands for none: most tasks have no overrides, no error and no log. */
export function overridesOf(text: string | null): TaskOverrides {
  return text === null ? NO_OVERRIDES : (JSON.parse(text) as TaskOverrides);
}
export function overridesText(overrides: TaskOverrides): string | null {
  const text = JSON.stringify(overrides);
  return text === "{}" ? null : text;
}
export function errorOf(text: string | null): StoredError | null {
  return text === null ? null : (JSON.parse(text) as StoredError);
}
export function errorText(error: StoredError | null): string | null {
  return error === null ? null : JSON.stringify(error);
}
export function logOf(text: string | null): readonly LogLine[] {
  return text === null ? NO_LOG : (JSON.parse(text) as LogLine[]);
}
export function logText(log: readonly LogLine[]): string | null {
  return log.length === 0 ? null : JSON.stringify(log);
}
