import type { TaskRecord } from "@giveway/kernel";
import { outcomeCode, reasonCode, stateCode } from "../codes.ts";
import type { Cell, Driver } from "../driver/driver.ts";
import { errorText, logText } from "./record.ts";

const COLUMNS = [
  "state",
  "weight",
  "due_at",
  "seq",
  "since",
  "fence",
  "version",
  "attempt",
  "failures",
  "losses",
  "no_prefetch",
  "claimed_at",
  "started_at",
  "ended_at",
  "updated_at",
  "last_outcome",
  "end_reason",
  "last_error",
  "result",
  "progress",
  "checkpoint",
  "log",
] as const;

/** Writes the whole of what became of a task, as changes by people do. While it runs, `running` still wins over what both hold. */
export function prepareStateRow(driver: Driver): (task: TaskRecord) => void {
  const write = driver.prepare(
    `INSERT INTO state (key, node, ${COLUMNS.join(", ")})
     VALUES (?, (SELECT number FROM node WHERE id = ?), ${COLUMNS.map(() => "?").join(", ")})
     ON CONFLICT (key) DO UPDATE SET node = excluded.node, ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`,
  );
  return (task) => {
    write.run(task.key, task.node, ...cellsOf(task));
  };
}

function cellsOf(task: TaskRecord): Cell[] {
  return [
    task.state === "running" ? stateCode("waiting") : stateCode(task.state),
    task.weight,
    task.dueAt,
    task.seq,
    task.since,
    task.fence,
    task.version,
    task.attempt,
    task.failures,
    task.losses,
    task.noPrefetch ? 1 : 0,
    task.claimedAt,
    task.startedAt,
    task.endedAt,
    task.updatedAt,
    outcomeCode(task.lastOutcome),
    reasonCode(task.endReason),
    errorText(task.lastError),
    task.result,
    task.progress,
    task.checkpoint,
    logText(task.log),
  ];
}
