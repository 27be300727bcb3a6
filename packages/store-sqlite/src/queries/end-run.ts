import { WAITING } from "../codes.ts";
import type { Cell, Driver } from "../driver/driver.ts";
import { SETTLE_WIDTH } from "../wire/calls.ts";
import {
  ATTEMPT,
  CHECKPOINT,
  DUE_AT,
  END_REASON,
  ENDED_AT,
  ERROR,
  FAILURES,
  FENCE,
  KEEPS,
  KEY,
  LOG,
  LOSSES,
  NO_PREFETCH,
  OUTCOME,
  RESULT,
  STARTED_AT,
  STATE,
} from "./settle-cells.ts";

/** What a run of settlements has in common, in the order of the statement's parameters; `now` comes where null stands. */
const SHARED = [
  STATE,
  ATTEMPT,
  FAILURES,
  LOSSES,
  NO_PREFETCH,
  STARTED_AT,
  ENDED_AT,
  null,
  OUTCOME,
  END_REASON,
  ERROR,
  RESULT,
  CHECKPOINT,
  LOG,
] as const;

const COPY = `
INSERT INTO state (key, state, weight, fence, version, attempt, failures, losses, no_prefetch, node, claimed_at, started_at,
  ended_at, updated_at, last_outcome, end_reason, last_error, result, progress, checkpoint, log)
SELECT r.key, ?, r.weight, r.fence, r.version + 1, ?, ?, ?, ?, r.node, r.claimed_at, ?, ?, ?, ?, ?, ?, ?, r.progress, ?, ?`;

/** A task that was retried has a row already: all of it but its due time is written anew. */
const OVERWRITE = `
ON CONFLICT (key) DO UPDATE SET state = excluded.state, weight = excluded.weight, seq = NULL, since = NULL,
  fence = excluded.fence, version = excluded.version, attempt = excluded.attempt, failures = excluded.failures,
  losses = excluded.losses, no_prefetch = excluded.no_prefetch, node = excluded.node, claimed_at = excluded.claimed_at,
  started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at,
  last_outcome = excluded.last_outcome, end_reason = excluded.end_reason, last_error = excluded.last_error,
  result = excluded.result, progress = excluded.progress, checkpoint = excluded.checkpoint, log = excluded.log`;

/** An end that leaves its attempt in the row. */
export function endsPlainly(cells: readonly Cell[], at: number): boolean {
  return cells[at + STATE] !== WAITING && cells[at + OUTCOME] !== null && cells[at + STARTED_AT] !== null;
}

/** Where the run of settlements that starts at `at` and differs only in its keys ends. No key is in it twice, or settled before. */
export function endOfRun(cells: readonly Cell[], at: number, settled: ReadonlyMap<number, unknown>): number {
  const keys = new Set<Cell>([cells[at] as Cell]);
  let next = at + SETTLE_WIDTH;
  while (next < cells.length && isAlike(cells, at, next)) {
    const key = cells[next] as number;
    if (keys.has(key) || settled.has(key)) break;
    keys.add(key);
    next += SETTLE_WIDTH;
  }
  return next;
}

function isAlike(cells: readonly Cell[], a: number, b: number): boolean {
  for (let column = FENCE; column < SETTLE_WIDTH; column += 1) {
    if (column !== DUE_AT && column !== KEEPS && cells[a + column] !== cells[b + column]) return false;
  }
  return true;
}

/** Copies a run from `running` into `state`. Answers the keys whose fence was right; null: all of them. */
export function prepareEndRun(
  driver: Driver,
): (cells: readonly Cell[], from: number, to: number, now: number) => ReadonlySet<number> | null {
  const one = driver.prepare(`${COPY} FROM running r WHERE r.key = ? AND r.fence = ? ${OVERWRITE}`);
  const many = driver.prepare(
    `${COPY} FROM json_each(?) j CROSS JOIN running r ON r.key = j.value WHERE r.fence = ? ${OVERWRITE}`,
  );
  const held = driver.prepare("SELECT key FROM running WHERE key IN (SELECT value FROM json_each(?)) AND fence = ?");

  return (cells, from, to, now) => {
    const shared = SHARED.map((column): Cell => (column === null ? now : (cells[from + column] as Cell)));
    const fence = cells[from + FENCE] as Cell;
    const count = (to - from) / SETTLE_WIDTH;
    if (count === 1) return one.run(...shared, cells[from + KEY] as Cell, fence) === 1 ? null : new Set();
    const keys: Cell[] = [];
    for (let at = from; at < to; at += SETTLE_WIDTH) keys.push(cells[at + KEY] as Cell);
    const list = `[${keys.join(",")}]`;
    if (many.run(...shared, list, fence) === count) return null;
    return new Set(held.all(list, fence).map(([key]) => Number(key)));
  };
}
