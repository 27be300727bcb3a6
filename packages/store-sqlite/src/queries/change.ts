import type { TaskRecord } from "@giveway/kernel";
import type { ChangeOp } from "@giveway/store";
import { outcomeCode, stateCode } from "../codes.ts";
import type { Row, Statement } from "../driver/driver.ts";
import type { ChangeArgs, GuardedAnswer } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import { applyChange, attemptInRow } from "./apply-change.ts";
import { type Places, preparePlaces } from "./places.ts";
import { errorText, logText, overridesText, RECORDS, recordOf } from "./record.ts";
import { counterOf } from "./settle.ts";
import { prepareStateRow } from "./state-row.ts";

interface ChangeStatements {
  readonly byId: Statement;
  readonly edit: Statement;
  readonly dropRunning: Statement;
  readonly updateRunning: Statement;
  readonly archive: Statement;
  readonly record: Statement;
  readonly signal: Statement;
  readonly writeState: (task: TaskRecord) => void;
}

/** Writes changes by people and programs: each is read, compared by version, and put in the place of what was. */
export function prepareChange(context: WriteContext): (args: ChangeArgs) => GuardedAnswer[] {
  const statements = prepareStatements(context);
  const places = preparePlaces(context);
  return ({ now, ops }) =>
    (JSON.parse(ops) as ChangeOp[]).map((op) => {
      const row = statements.byId.get(op.id);
      if (row === undefined) return { applied: false, row: null };
      const before = recordOf(row);
      if (before.version !== op.version) return { applied: false, row };
      const stream = row[1] as number;
      const after = applyChange(before, op, now, () => context.numbers.nextSeq());
      leaveTraces(context, statements, before, op);
      take(context, statements, places, stream, before, after);
      put(context, statements, places, stream, before, after);
      return { applied: true, row: statements.byId.get(op.id) as Row };
    });
}

function prepareStatements({ driver }: WriteContext): ChangeStatements {
  return {
    byId: driver.prepare(`${RECORDS} WHERE t.id = ?`),
    edit: driver.prepare("UPDATE task SET payload = ?, name = ?, overrides = ?, request_id = ? WHERE key = ?"),
    dropRunning: driver.prepare("DELETE FROM running WHERE key = ?"),
    updateRunning: driver.prepare("UPDATE running SET weight = ?, version = ?, updated_at = ? WHERE key = ?"),
    archive: driver.prepare(
      "INSERT INTO attempt VALUES (?, ?, ?, ?, (SELECT number FROM node WHERE id = ?), ?, ?, ?, ?)",
    ),
    record: driver.prepare("INSERT INTO change VALUES (?, ?, ?)"),
    signal: driver.prepare("INSERT INTO signal SELECT number, ?, ?, ? FROM node WHERE id = ?"),
    writeState: prepareStateRow(driver),
  };
}

/** What the change leaves in the history, and for the node that ran the task. */
function leaveTraces(
  { numbers }: WriteContext,
  { archive, record, signal }: ChangeStatements,
  before: TaskRecord,
  op: ChangeOp,
): void {
  const attempt = op.archive ? attemptInRow(before) : null;
  if (attempt !== null) {
    archive.run(
      before.key,
      numbers.nextSerial(),
      attempt.attempt,
      outcomeCode(attempt.outcome),
      attempt.node,
      attempt.startedAt,
      attempt.endedAt,
      errorText(attempt.error),
      logText(attempt.log),
    );
  }
  if (op.record !== null) record.run(before.key, numbers.nextSerial(), JSON.stringify(op.record));
  if (op.signal !== null && before.state === "running") {
    signal.run(numbers.nextSerial(), op.signal, before.id, before.node);
  }
}

function take(
  { depths }: WriteContext,
  { dropRunning }: ChangeStatements,
  places: Places,
  stream: number,
  before: TaskRecord,
  after: TaskRecord,
): void {
  if (before.state === "waiting") {
    places.take(before.key, placeOf(stream, before));
  } else if (before.state === "running") {
    if (after.state !== "running") dropRunning.run(before.key);
    depths.add(stream, before.weight, "running", -1);
  } else depths.add(stream, before.weight, counterOf(stateCode(before.state)), -1);
}

function put(
  { depths }: WriteContext,
  { edit, updateRunning, writeState }: ChangeStatements,
  places: Places,
  stream: number,
  before: TaskRecord,
  after: TaskRecord,
): void {
  if (isEdited(before, after)) {
    edit.run(after.payload, after.name, overridesText(after.overrides), after.requestId, after.key);
  }
  writeState(after);
  if (after.state === "waiting") {
    places.put(after.key, placeOf(stream, after));
  } else if (after.state === "running") {
    updateRunning.run(after.weight, after.version, after.updatedAt, after.key);
    depths.add(stream, after.weight, "running", 1);
  } else depths.add(stream, after.weight, counterOf(stateCode(after.state)), 1);
}

function placeOf(stream: number, { weight, noPrefetch, dueAt, seq, since }: TaskRecord): Parameters<Places["put"]>[1] {
  return { stream, weight, noPrefetch, dueAt, seq, since };
}

function isEdited(before: TaskRecord, after: TaskRecord): boolean {
  return (
    before.payload !== after.payload ||
    before.name !== after.name ||
    before.requestId !== after.requestId ||
    before.overrides !== after.overrides
  );
}
