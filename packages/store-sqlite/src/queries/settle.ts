import { CANCELLED, DEAD, RUNNING, SUCCEEDED, WAITING } from "../codes.ts";
import type { Cell, Statement } from "../driver/driver.ts";
import { SETTLE_WIDTH, type SettleArgs } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import type { Counter } from "../writer/depths.ts";
import { endOfRun, endsPlainly, prepareEndRun } from "./end-run.ts";
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
  KEY,
  LOG,
  LOSSES,
  NO_PREFETCH,
  OUTCOME,
  RESULT,
  STARTED_AT,
  STATE,
} from "./settle-cells.ts";

/** A settlement as it crossed, still in its cells. */
type Cells = readonly Cell[];
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

/**
 * Settles claimed tasks under their fences.
 *
 * What ended with an attempt recorded, nearly all of them, is copied from `running` into `state` if the fence is right. Such settlements that
 * differ in nothing but their keys, as those of short tasks that end in the same ms do, take one statement together (`end-run.ts`). The rows of
 * `running` are deleted together at the end. Everything else (returns to waiting, ends without an attempt) goes step by step. A key settled
 * twice in one commit is refused the second time, as it would be in the next.
 */
export function prepareSettle(context: WriteContext): (args: SettleArgs) => Cell[] {
  const statements = prepareStatements(context);
  const places = preparePlaces(context);
  const endRun = prepareEndRun(context.driver);
  return ({ now, cells }) => {
    const answers: Cell[] = [];
    const ended = new Map<number, number>();
    for (let at = 0; at < cells.length; ) {
      const key = cells[at] as number;
      const state = ended.get(key);
      if (state === undefined && endsPlainly(cells, at)) {
        const next = endOfRun(cells, at, ended);
        const applied = endRun(cells, at, next, now);
        for (let own = at; own < next; own += SETTLE_WIDTH) {
          const ownKey = cells[own] as number;
          if (applied === null || applied.has(ownKey)) {
            ended.set(ownKey, cells[own + STATE] as number);
            answers.push(1, null);
          } else answers.push(0, standingOf(statements, ownKey));
        }
        at = next;
        continue;
      }
      if (state !== undefined) answers.push(0, state);
      else settleStepwise(context, statements, places, cells.slice(at, at + SETTLE_WIDTH), now, answers);
      at += SETTLE_WIDTH;
    }
    finishEnded(context, statements, ended);
    return answers;
  };
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
