import type { PruneRequest } from "@giveway/store";
import type { WriteAnswer } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import { prepareForgetRow } from "./forget-row.ts";
import { RECORDS, recordOf } from "./record.ts";

/** Retention: what ended first goes first, then ids whose time is over, together at most `limit`. */
export function preparePrune(context: WriteContext): (request: PruneRequest) => WriteAnswer<"prune"> {
  const { driver } = context;
  const forgetRow = prepareForgetRow(context);
  const oldest = driver.prepare(
    "SELECT key FROM state WHERE state IN (2, 4) AND ended_at <= ? ORDER BY ended_at, key LIMIT ?",
  );
  const byKey = driver.prepare(`${RECORDS} WHERE t.key = ?`);
  const memories = driver.prepare("SELECT id FROM remembered WHERE ended_at <= ? ORDER BY ended_at, key LIMIT ?");
  const forgetId = driver.prepare("DELETE FROM remembered WHERE id = ?");

  return ({ now, keep, remember, limit }) => {
    const room = Math.max(0, limit);
    // One more than fits tells whether another call would find work.
    const rows = oldest.all(now - keep, room + 1);
    const pruned = rows.slice(0, room);
    for (const [key] of pruned) {
      const row = byKey.get(key ?? null);
      if (row === undefined) throw new Error(`task ${key} has ended but has no row`);
      const task = recordOf(row);
      forgetRow(row[1] as number, task, (task.endedAt ?? 0) + remember > now);
    }
    const ids = memories.all(now - remember, room - pruned.length + 1);
    const forgotten = ids.slice(0, room - pruned.length);
    for (const [id] of forgotten) forgetId.run(id ?? null);
    const more = rows.length > pruned.length || ids.length > forgotten.length;
    return { pruned: pruned.length, forgotten: forgotten.length, more };
  };
}
