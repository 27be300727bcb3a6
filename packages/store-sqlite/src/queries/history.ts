import type { Driver } from "../driver/driver.ts";
import type { HistoryRows } from "../wire/reads.ts";
import { RECORDS } from "./record.ts";

export function prepareHistory(driver: Driver): (id: string) => HistoryRows | null {
  const task = driver.prepare(`${RECORDS} WHERE t.id = ?`);
  const attempts = driver.prepare(
    `SELECT a.attempt, a.outcome, n.id, a.started_at, a.ended_at, a.error, a.log
     FROM attempt a LEFT JOIN node n ON n.number = a.node WHERE a.key = ? ORDER BY a.serial`,
  );
  const changes = driver.prepare("SELECT record FROM change WHERE key = ? ORDER BY serial");
  return (id) => {
    const row = task.get(id);
    if (row === undefined) return null;
    const key = row[0] ?? null;
    return { task: row, attempts: attempts.all(key), changes: changes.all(key).map(([record]) => String(record)) };
  };
}
