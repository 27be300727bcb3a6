import { CANCELLED, DEAD, RUNNING, SUCCEEDED, WAITING } from "../codes.ts";
import type { Cell, Statement } from "../driver/driver.ts";
import { SETTLE_WIDTH, type SettleArgs } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import type { Counter } from "../writer/depths.ts";
import { mustChange, type Places, preparePlaces } from "./places.ts";

/** A settlement as it crossed, still in its cells. */
type Cells = readonly Cell[];
/** Where each value of a settlement lies in its cells. */
const KEY = 0;
const FENCE = 1;
const STATE = 2;
const OUTCOME = 3;
const ATTEMPT = 4;
const FAILURES = 5;
const LOSSES = 6;
const NO_PREFETCH = 7;
const DUE_AT = 8;
const KEEPS = 9;
const STARTED_AT = 10;
const ENDED_AT = 11;
const ERROR = 12;
const END_REASON = 13;
const RESULT = 14;
const CHECKPOINT = 15;
const LOG = 16;

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
  readonly end: Statement;
  readonly held: Statement;
  readonly drop: Statement;
  readonly countEnded: Statement;
  readonly dropEnded: Statement;
  readonly write: Statement;
  readonly archive: Statement;
  readonly standing: Statement;
}

/**
 * Settles claimed tasks under their fences.
 *
 * What ended with an attempt recorded, nearly all of them, takes one statement a task: it copies the claim from `running` into `state` if the
 * fence is right. The rows of `running` are then deleted together. Everything else (returns to waiting, ends without an attempt) goes
 * step by step. A key settled twice in one commit is refused the second time, as it would be in the next.
 */
export function prepareSettle(context: WriteContext): (args: SettleArgs) => Cell[] {
  const statements = prepareStatements(context);
  const places = preparePlaces(context);
  return ({ now, cells }) => {
    const answers: Cell[] = [];
    const ended = new Map<number, number>();
    for (let at = 0; at < cells.length; at += SETTLE_WIDTH) {
      const op = cells.slice(at, at + SETTLE_WIDTH);
      const key = op[KEY] as number;
      const state = ended.get(key);
      if (state !== undefined) answers.push(0, state);
      else if (endsPlainly(op)) {
        if (endOne(statements, op, now)) {
          ended.set(key, op[STATE] as number);
          answers.push(1, null);
        } else answers.push(0, standingOf(statements, key));
      } else settleStepwise(context, statements, places, op, now, answers);
    }
    finishEnded(context, statements, ended);
    return answers;
  };
}

function prepareStatements({ driver }: WriteContext): SettleStatements {
  const written = `weight, due_at, seq, since, fence, version, attempt, failures, losses, no_prefetch, node, claimed_at, started_at,
    ended_at, updated_at, end_reason, result, progress, checkpoint`;
  return {
    end: driver.prepare(
      `INSERT INTO state (key, state, weight, fence, version, attempt, failures, losses, no_prefetch, node, claimed_at, started_at,
         ended_at, updated_at, last_outcome, end_reason, last_error, result, progress, checkpoint, log)
       SELECT key, ?, weight, fence, version + 1, ?, ?, ?, ?, node, claimed_at, ?, ?, ?, ?, ?, ?, ?, progress, ?, ?
       FROM running WHERE key = ? AND fence = ?
       ON CONFLICT (key) DO UPDATE SET state = excluded.state, weight = excluded.weight, seq = NULL, since = NULL,
         fence = excluded.fence, version = excluded.version, attempt = excluded.attempt, failures = excluded.failures,
         losses = excluded.losses, no_prefetch = excluded.no_prefetch, node = excluded.node, claimed_at = excluded.claimed_at,
         started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at,
         last_outcome = excluded.last_outcome, end_reason = excluded.end_reason, last_error = excluded.last_error,
         result = excluded.result, progress = excluded.progress, checkpoint = excluded.checkpoint, log = excluded.log`,
    ),
    held: driver.prepare(
      `SELECT node, stream, weight, version, seq, since, claimed_at, started_at, progress FROM running WHERE key = ? AND fence = ?`,
    ),
    drop: driver.prepare("DELETE FROM running WHERE key = ?"),
    countEnded: driver.prepare(
      `SELECT stream, weight, count(*) FROM running WHERE key IN (SELECT value FROM json_each(?)) GROUP BY stream, weight`,
    ),
    dropEnded: driver.prepare("DELETE FROM running WHERE key IN (SELECT value FROM json_each(?))"),
    // Outcome, error and log stay as they are where no attempt had begun; so does the due time of what ended.
    write: driver.prepare(
      `INSERT INTO state (key, state, ${written}, last_outcome, last_error, log)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET state = excluded.state, due_at = coalesce(excluded.due_at, due_at),
         ${written
           .split(/,\s*/)
           .filter((name) => name !== "due_at" && name !== "progress")
           .map((name) => `${name} = excluded.${name}`)
           .join(", ")},
         progress = CASE WHEN excluded.last_outcome IS NULL THEN coalesce(excluded.progress, progress) ELSE excluded.progress END,
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

function endsPlainly(op: Cells): boolean {
  return op[STATE] !== WAITING && op[OUTCOME] !== null && op[STARTED_AT] !== null;
}

function endOne({ end }: SettleStatements, op: Cells, now: number): boolean {
  const changes = end.run(
    op[STATE] as Cell,
    op[ATTEMPT] as Cell,
    op[FAILURES] as Cell,
    op[LOSSES] as Cell,
    op[NO_PREFETCH] as Cell,
    op[STARTED_AT] as Cell,
    op[ENDED_AT] as Cell,
    now,
    op[OUTCOME] as Cell,
    op[END_REASON] as Cell,
    op[ERROR] as Cell,
    op[RESULT] as Cell,
    op[CHECKPOINT] as Cell,
    op[LOG] as Cell,
    op[KEY] as Cell,
    op[FENCE] as Cell,
  );
  return changes === 1;
}

/** Deletes the claims of what ended and moves the counters, per stream and weight. */
function finishEnded({ depths }: WriteContext, statements: SettleStatements, ended: ReadonlyMap<number, number>): void {
  if (ended.size === 0) return;
  for (const state of [SUCCEEDED, DEAD, CANCELLED]) {
    const keys = [...ended].flatMap(([key, own]) => (own === state ? [key] : []));
    if (keys.length === 0) continue;
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
  op: Cells,
  now: number,
  answers: Cell[],
): void {
  const key = op[KEY] as number;
  const held = heldOf(statements, op);
  if (held === null) {
    answers.push(0, standingOf(statements, key));
    return;
  }
  statements.drop.run(key);
  context.depths.add(held.stream, held.weight, "running", -1);
  const waits = op[STATE] === WAITING;
  if (op[OUTCOME] !== null && (waits || op[STARTED_AT] === null)) archive(context, statements, op, held);
  const ready = waits && (op[DUE_AT] as number) <= now;
  const keeps = ready && op[KEEPS] === 1;
  const seq = keeps ? held.seq : ready ? context.numbers.nextSeq() : null;
  const since = keeps ? held.since : ready ? now : null;
  writeState(statements, op, held, now, seq, since);
  if (waits) {
    const { stream, weight } = held;
    places.put(key, {
      stream,
      weight,
      noPrefetch: op[NO_PREFETCH] as number,
      dueAt: op[DUE_AT] as number,
      seq,
      since,
    });
  } else context.depths.add(held.stream, held.weight, counterOf(op[STATE] as number), 1);
  answers.push(1, seq);
}

function heldOf({ held }: SettleStatements, op: Cells): Held | null {
  const row = held.get(op[KEY] as Cell, op[FENCE] as Cell);
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

function archive({ numbers }: WriteContext, statements: SettleStatements, op: Cells, held: Held): void {
  statements.archive.run(
    op[KEY] as Cell,
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
  op: Cells,
  held: Held,
  now: number,
  seq: number | null,
  since: number | null,
): void {
  const waits = op[STATE] === WAITING;
  const cell = (at: number): Cell => op[at] as Cell;
  write.run(
    cell(KEY),
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
    cell(ERROR),
    cell(LOG),
  );
}

function standingOf({ standing }: SettleStatements, key: number): number | null {
  const row = standing.get(key);
  return row === undefined ? null : Number(row[0]);
}
