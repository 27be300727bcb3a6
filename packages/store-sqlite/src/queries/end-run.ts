import { WAITING } from "../codes.ts";
import type { Cell, Driver } from "../driver/driver.ts";
import {
  ATTEMPT,
  CHECKPOINT,
  END_REASON,
  ENDED_AT,
  ERROR,
  FAILURES,
  FENCE,
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

/** A task that was retried has a row already: all of it but its due time is written anew, and progress where a start was recorded. */
const OVERWRITE = `
ON CONFLICT (key) DO UPDATE SET state = excluded.state, weight = excluded.weight, seq = NULL, since = NULL,
  fence = excluded.fence, version = excluded.version, attempt = excluded.attempt, failures = excluded.failures,
  losses = excluded.losses, no_prefetch = excluded.no_prefetch, node = excluded.node, claimed_at = excluded.claimed_at,
  started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at,
  last_outcome = excluded.last_outcome, end_reason = excluded.end_reason, last_error = excluded.last_error,
  result = excluded.result, progress = CASE
    WHEN (SELECT started_at FROM running WHERE key = excluded.key) IS NULL THEN coalesce(excluded.progress, progress)
    ELSE excluded.progress END, checkpoint = excluded.checkpoint, log = excluded.log`;

/** One row of cells of a settlement. */
export type SettlementCells = readonly Cell[];

/** An end that leaves its attempt in the row. */
export function endsPlainly(cells: SettlementCells): boolean {
  return cells[STATE] !== WAITING && cells[OUTCOME] !== null && cells[STARTED_AT] !== null;
}

/** Copies tasks that ended in the same way from `running` into `state`. Answers those whose fence was right; null: all of them. */
export function prepareEndRun(
  driver: Driver,
): (cells: SettlementCells, keys: readonly number[], now: number) => ReadonlySet<number> | null {
  const one = driver.prepare(`${COPY} FROM running r WHERE r.key = ? AND r.fence = ? ${OVERWRITE}`);
  const many = driver.prepare(
    `${COPY} FROM json_each(?) j CROSS JOIN running r ON r.key = j.value WHERE r.fence = ? ${OVERWRITE}`,
  );
  const held = driver.prepare("SELECT key FROM running WHERE key IN (SELECT value FROM json_each(?)) AND fence = ?");

  return (cells, keys, now) => {
    const shared = SHARED.map((column): Cell => (column === null ? now : (cells[column] as Cell)));
    const fence = cells[FENCE] as Cell;
    if (keys.length === 1) return one.run(...shared, keys[0] as number, fence) === 1 ? null : new Set();
    const list = `[${keys.join(",")}]`;
    if (many.run(...shared, list, fence) === keys.length) return null;
    return new Set(held.all(list, fence).map(([key]) => Number(key)));
  };
}
