import { EXPRESS_FROM } from "@giveway/kernel";
import type { Cell, Row, Statement } from "../driver/driver.ts";
import { INSERT_WIDTH, type InsertAnswer, type InsertArgs } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import type { StreamName } from "../writer/names.ts";
import { RECORDS } from "./record.ts";

interface InsertStatements {
  readonly task: Statement;
  readonly ready: Statement;
  readonly delayed: Statement;
  readonly running: Statement;
  readonly known: Statement;
  readonly remembered: Statement;
}

/** One call's rows on their way in. */
interface Batch {
  readonly now: number;
  readonly streams: readonly StreamName[];
  readonly answers: Cell[];
  readonly known: Row[];
  /** Keys of this batch are consecutive: these bound those that go to `ready` and `delayed`. */
  firstKey: number;
  lastKey: number;
  delayed: boolean;
  ready: boolean;
}

/**
 * Inserts tasks. Each row is one statement that leaves a known id alone; the rows of `ready` and `delayed` then follow by one statement each for
 * the whole batch, read back from `task` by its key range, which costs a fifth of inserting them one by one.
 */
export function prepareInsert(context: WriteContext): (args: InsertArgs) => InsertAnswer {
  const { driver, names } = context;
  const statements = prepareStatements(context);
  const anyRemembered = driver.prepare("SELECT EXISTS (SELECT 1 FROM remembered)");
  return ({ now, streams, cells }) => {
    const batch: Batch = {
      now,
      streams: pairs(streams).map(([queue, type]) => names.ensure(queue, type)),
      answers: [],
      known: [],
      firstKey: 0,
      lastKey: -1,
      delayed: false,
      ready: false,
    };
    const remembers = anyRemembered.get()?.[0] === 1;
    for (let at = 0; at < cells.length; at += INSERT_WIDTH) insertRow(context, statements, batch, cells, at, remembers);
    placeRows(statements, batch);
    return { cells: batch.answers, known: batch.known };
  };
}

function prepareStatements({ driver }: WriteContext): InsertStatements {
  return {
    task: driver.prepare("INSERT INTO task VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"),
    // A handed-off task is in `running` by then; `seq` of the others tells ready from delayed.
    ready: driver.prepare(
      `INSERT INTO ready SELECT stream, weight, seq, since, key, 0 FROM task
       WHERE key BETWEEN ? AND ? AND seq IS NOT NULL AND key NOT IN (SELECT key FROM running WHERE key BETWEEN ? AND ?)`,
    ),
    delayed: driver.prepare(
      `INSERT INTO delayed SELECT s.queue, t.weight >= ${EXPRESS_FROM}, t.due_at, t.key, t.stream, t.weight, 0
       FROM task t JOIN stream s ON s.id = t.stream WHERE t.key BETWEEN ? AND ? AND t.seq IS NULL`,
    ),
    running: driver.prepare("INSERT INTO running VALUES (?, ?, ?, ?, ?, 1, 2, 1, ?, ?, ?, ?, ?, NULL)"),
    known: driver.prepare(`${RECORDS} WHERE t.id = ?`),
    remembered: driver.prepare("SELECT id, type, payload_hash, ended_at FROM remembered WHERE id = ?"),
  };
}

function insertRow(
  { numbers, depths, nodes }: WriteContext,
  statements: InsertStatements,
  batch: Batch,
  cells: readonly Cell[],
  at: number,
  remembers: boolean,
): void {
  const { now } = batch;
  const { stream } = batch.streams[cells[at] as number] as StreamName;
  const id = cells[at + 1] as string;
  if (remembers && answerRemembered(statements, batch, id)) return;
  const weight = cells[at + 3] as number;
  const dueAt = cells[at + 8] as number;
  const due = dueAt <= now;
  const key = numbers.nextKey();
  const seq = due ? numbers.nextSeq() : null;
  const added = statements.task.run(
    key,
    stream,
    weight,
    id,
    cells[at + 2] ?? null,
    cells[at + 4] ?? null,
    cells[at + 5] ?? null,
    cells[at + 6] ?? null,
    cells[at + 7] ?? null,
    now,
    dueAt,
    seq,
    due ? now : null,
  );
  if (added === 0) {
    numbers.giveBack(due);
    batch.answers.push(0, null, null);
    batch.known.push(statements.known.get(id) as Row);
    return;
  }
  const node = due && cells[at + 9] != null ? nodes.live(cells[at + 9] as string) : null;
  if (node !== null) {
    statements.running.run(key, node, cells[at + 10] ?? 0, stream, weight, seq, now, now, now, now);
  }
  depths.add(stream, weight, node !== null ? "running" : due ? "ready" : "delayed", 1);
  batch.answers.push(key, seq, node === null ? 0 : 1);
  if (batch.firstKey === 0) batch.firstKey = key;
  batch.lastKey = key;
  if (!due) batch.delayed = true;
  else if (node === null) batch.ready = true;
}

function answerRemembered(statements: InsertStatements, batch: Batch, id: string): boolean {
  const memory = statements.remembered.get(id);
  if (memory === undefined) return false;
  batch.answers.push(-1, null, null);
  batch.known.push(memory);
  return true;
}

function placeRows({ ready, delayed }: InsertStatements, batch: Batch): void {
  const { firstKey, lastKey } = batch;
  if (batch.ready) ready.run(firstKey, lastKey, firstKey, lastKey);
  if (batch.delayed) delayed.run(firstKey, lastKey);
}

function pairs(flat: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) found.push([flat[at] as string, flat[at + 1] as string]);
  return found;
}
