import { DEAD, RUNNING, SUCCEEDED, WAITING } from "../codes.ts";
import type { Cell, Statement } from "../driver/driver.ts";
import { SETTLE_WIDTH, type SettleArgs, type SettleReply } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import type { Counter } from "../writer/depths.ts";
import { endsPlainly, prepareEndRun, type SettlementCells } from "./end-run.ts";
import { mustChange, type Places, preparePlaces } from "./places.ts";
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
  LOG,
  LOSSES,
  NO_PREFETCH,
  OUTCOME,
  RESULT,
  STARTED_AT,
  STATE,
} from "./settle-cells.ts";

interface Held {
  readonly node: number;
  readonly stream: number;
  readonly weight: number;
  readonly version: number;
  readonly seq: number;
  readonly since: number;
  readonly claimedAt: number;
  readonly startedAt: number | null;
  readonly progress: string | null;
}

interface SettleStatements {
  readonly held: Statement;
  readonly drop: Statement;
  readonly countEnded: Statement;
  readonly dropEnded: Statement;
  readonly write: Statement;
  readonly archive: Statement;
  readonly standing: Statement;
}

/** The settlements of one call on their way. */
interface Progress {
  readonly now: number;
  readonly answers: Cell[];
  /** Keys that ended plainly so far, with their state; their claims are deleted at the end. */
  readonly ended: Map<number, number>;
  /** Something was refused or has a place: the answers have to be told. */
  notable: boolean;
}

/**
 * Settles claimed tasks under their fences.
 *
 * What ended with an attempt recorded, nearly all of them, is copied from `running` into `state` if the fence is right, one statement a run of
 * settlements that are alike (`end-run.ts`). The rows of `running` are deleted together at the end. Everything else (returns to waiting, ends
 * without an attempt) goes step by step. A key settled twice in one commit is refused the second time, as it would be in the next.
 */
export function prepareSettle(context: WriteContext): (args: SettleArgs) => SettleReply {
  const statements = prepareStatements(context);
  const places = preparePlaces(context);
  const endRun = prepareEndRun(context.driver);
  return ({ now, cells, counts, keys }) => {
    const progress: Progress = { now, answers: [], ended: new Map(), notable: false };
    let from = 0;
    for (const [run, count] of counts.entries()) {
      const op = cells.slice(run * SETTLE_WIDTH, (run + 1) * SETTLE_WIDTH);
      const own = keys.slice(from, from + count);
      from += count;
      if (endsPlainly(op)) settleRun(statements, endRun, op, own, progress);
      else for (const key of own) settleStepwise(context, statements, places, key, op, progress);
    }
    finishEnded(context, statements, progress.ended);
    return progress.notable ? progress.answers : null;
  };
}

function settleRun(
  statements: SettleStatements,
  endRun: ReturnType<typeof prepareEndRun>,
  op: SettlementCells,
  keys: readonly number[],
  progress: Progress,
): void {
  const { ended, answers } = progress;
  const distinct = new Set(keys);
  const fresh =
    distinct.size === keys.length && ended.size === 0 ? keys : [...distinct].filter((key) => !ended.has(key));
  const applied = fresh.length === 0 ? null : endRun(op, fresh, progress.now);
  const state = op[STATE] as number;
  for (const key of keys) {
    const before = ended.get(key);
    if (before === undefined && (applied === null || applied.has(key))) {
      ended.set(key, state);
      answers.push(1, null);
    } else refuse(progress, before ?? standingOf(statements, key));
  }
}

function refuse(progress: Progress, state: number | null): void {
  progress.answers.push(0, state);
  progress.notable = true;
}

function prepareStatements({ driver }: WriteContext): SettleStatements {
  const written = `weight, due_at, seq, since, fence, version, attempt, failures, losses, no_prefetch, node, claimed_at, started_at,
    ended_at, updated_at, end_reason, result, progress, checkpoint`;
  return {
    held: driver.prepare(
      `SELECT node, stream, weight, version, seq, since, claimed_at, started_at, progress FROM running WHERE key = ? AND fence = ?`,
    ),
    drop: driver.prepare("DELETE FROM running WHERE key = ?"),
    countEnded: driver.prepare(
      `SELECT r.stream, r.weight, count(*) FROM json_each(?) j CROSS JOIN running r ON r.key = j.value
       GROUP BY r.stream, r.weight`,
    ),
    dropEnded: driver.prepare("DELETE FROM running WHERE key IN (SELECT value FROM json_each(?))"),
    // Outcome, error and log stay as they are where no attempt had begun; so does the due time of what ended. Progress of the attempt before
    // stays until a start was recorded: the last parameter.
    write: driver.prepare(
      `INSERT INTO state (key, state, ${written}, last_outcome, last_error, log)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET state = excluded.state, due_at = coalesce(excluded.due_at, due_at),
         ${written
           .split(/,\s*/)
           .filter((name) => name !== "due_at" && name !== "progress")
           .map((name) => `${name} = excluded.${name}`)
           .join(", ")},
         progress = CASE WHEN ? THEN excluded.progress ELSE coalesce(excluded.progress, progress) END,
         last_outcome = coalesce(excluded.last_outcome, last_outcome),
         last_error = CASE WHEN excluded.last_outcome IS NULL THEN last_error ELSE excluded.last_error END,
         log = CASE WHEN excluded.last_outcome IS NULL THEN log ELSE excluded.log END`,
    ),
    archive: driver.prepare("INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    standing: driver.prepare(
      `SELECT CASE WHEN r.key IS NOT NULL THEN ${RUNNING} ELSE coalesce(s.state, ${WAITING}) END
       FROM task t LEFT JOIN running r ON r.key = t.key LEFT JOIN state s ON s.key = t.key WHERE t.key = ?`,
    ),
  };
}

/** Deletes the claims of what ended and moves the counters, per stream and weight. */
function finishEnded({ depths }: WriteContext, statements: SettleStatements, ended: ReadonlyMap<number, number>): void {
  const lists = new Map<number, number[]>();
  for (const [key, state] of ended) {
    const list = lists.get(state);
    if (list === undefined) lists.set(state, [key]);
    else list.push(key);
  }
  for (const [state, keys] of lists) {
    const list = `[${keys.join(",")}]`;
    for (const [stream, weight, count] of statements.countEnded.all(list) as number[][]) {
      depths.add(Number(stream), Number(weight), "running", -Number(count));
      depths.add(Number(stream), Number(weight), counterOf(state), Number(count));
    }
    mustChange(statements.dropEnded.run(list), keys.length, "running");
  }
}

/** The counter of an ended state. */
export function counterOf(state: number): Counter {
  return state === SUCCEEDED ? "succeeded" : state === DEAD ? "dead" : "cancelled";
}

function settleStepwise(
  context: WriteContext,
  statements: SettleStatements,
  places: Places,
  key: number,
  op: SettlementCells,
  progress: Progress,
): void {
  const { now } = progress;
  const settled = progress.ended.get(key);
  const held = settled === undefined ? heldOf(statements, key, op) : null;
  if (held === null) {
    refuse(progress, settled ?? standingOf(statements, key));
    return;
  }
  const { stream, weight } = held;
  statements.drop.run(key);
  context.depths.add(stream, weight, "running", -1);
  const waits = op[STATE] === WAITING;
  if (op[OUTCOME] !== null && (waits || op[STARTED_AT] === null)) archive(context, statements, key, op, held);
  const dueAt = op[DUE_AT] as number;
  const ready = waits && dueAt <= now;
  const keeps = ready && op[KEEPS] === 1;
  const seq = keeps ? held.seq : ready ? context.numbers.nextSeq() : null;
  const since = keeps ? held.since : ready ? now : null;
  writeState(statements, key, op, held, now, seq, since);
  if (waits) places.put(key, { stream, weight, noPrefetch: op[NO_PREFETCH] === 1, dueAt, seq, since });
  else context.depths.add(stream, weight, counterOf(op[STATE] as number), 1);
  progress.answers.push(1, seq);
  if (seq !== null) progress.notable = true;
}

function heldOf({ held }: SettleStatements, key: number, op: SettlementCells): Held | null {
  const row = held.get(key, op[FENCE] as Cell);
  if (row === undefined) return null;
  const [node, stream, weight, version, seq, since, claimedAt] = row as readonly number[] as readonly [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    node,
    stream,
    weight,
    version,
    seq,
    since,
    claimedAt,
    startedAt: row[7] as number | null,
    progress: row[8] as string | null,
  };
}

function archive(
  { numbers }: WriteContext,
  statements: SettleStatements,
  key: number,
  op: SettlementCells,
  held: Held,
): void {
  statements.archive.run(
    key,
    numbers.nextSerial(),
    op[ATTEMPT] as Cell,
    op[OUTCOME] as Cell,
    held.node,
    op[STARTED_AT] as Cell,
    op[ENDED_AT] as Cell,
    op[ERROR] as Cell,
    op[LOG] as Cell,
  );
}

function writeState(
  { write }: SettleStatements,
  key: number,
  op: SettlementCells,
  held: Held,
  now: number,
  seq: number | null,
  since: number | null,
): void {
  const waits = op[STATE] === WAITING;
  const cell = (at: number): Cell => op[at] as Cell;
  write.run(
    key,
    cell(STATE),
    held.weight,
    waits ? cell(DUE_AT) : null,
    seq,
    since,
    cell(FENCE),
    held.version + 1,
    cell(ATTEMPT),
    cell(FAILURES),
    cell(LOSSES),
    cell(NO_PREFETCH),
    waits ? null : held.node,
    waits ? null : held.claimedAt,
    waits ? null : cell(STARTED_AT),
    waits ? null : cell(ENDED_AT),
    now,
    cell(END_REASON),
    cell(RESULT),
    held.progress,
    cell(CHECKPOINT),
    cell(OUTCOME),
    // Without an attempt there is nothing to keep of it.
    cell(OUTCOME) === null ? null : cell(ERROR),
    cell(OUTCOME) === null ? null : cell(LOG),
    held.startedAt === null ? 0 : 1,
  );
}

function standingOf({ standing }: SettleStatements, key: number): number | null {
  const row = standing.get(key);
  return row === undefined ? null : Number(row[0]);
}
