import type { WriteContext } from "../writer/context.ts";
import { HAS_STATE } from "./places.ts";

/** How many due tasks one claim moves at most. */
export const DUE_PAGE = 1_000;

/**
 * Moves what is due in a queue from delayed to ready: one page, express first, then by due time, then by key (section 4). Answers the
 * earliest due time that is left, which is not ahead of `now` where the page was not enough.
 */
export function preparePromote({
  driver,
  numbers,
  depths,
}: WriteContext): (queue: number, now: number) => number | null {
  const due = driver.prepare(
    `SELECT due, key, stream, weight, flags FROM delayed WHERE queue = ? AND express = ? AND due <= ?
     ORDER BY due, key LIMIT ?`,
  );
  const head = driver.prepare("SELECT due FROM delayed WHERE queue = ? AND express = ? ORDER BY due LIMIT 1");
  const drop = driver.prepare("DELETE FROM delayed WHERE queue = ? AND express = ? AND (due, key) <= (?, ?)");
  const ready = driver.prepare("INSERT INTO ready VALUES (?, ?, ?, ?, ?, ?)");
  // What becomes ready gets a place, but no new version: nothing that a person decides rests on it.
  const place = driver.prepare(
    `INSERT INTO state (key, seq, since, updated_at) VALUES (?, ?, ?, (SELECT created_at FROM task WHERE key = ?))
     ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, since = excluded.since`,
  );

  function movePage(queue: number, express: number, now: number, limit: number): number {
    const rows = due.all(queue, express, now, limit) as [number, number, number, number, number][];
    for (const [, key, stream, weight, flags] of rows) {
      const seq = numbers.nextSeq();
      ready.run(stream, weight, seq, now, key, flags | HAS_STATE);
      place.run(key, seq, now, key);
      depths.add(stream, weight, "ready", 1);
      depths.add(stream, weight, "delayed", -1);
    }
    const last = rows.at(-1);
    if (last !== undefined) drop.run(queue, express, last[0], last[1]);
    return rows.length;
  }

  function headDue(queue: number, express: number): number {
    const row = head.get(queue, express);
    return row === undefined ? Number.POSITIVE_INFINITY : Number(row[0]);
  }

  return (queue, now) => {
    // Both heads are looked at first: most claims find nothing due, and then this is all they pay.
    let express = headDue(queue, 1);
    let standard = headDue(queue, 0);
    let room = DUE_PAGE;
    if (express <= now) {
      room -= movePage(queue, 1, now, room);
      express = headDue(queue, 1);
    }
    if (standard <= now && room > 0) {
      movePage(queue, 0, now, room);
      standard = headDue(queue, 0);
    }
    const next = Math.min(express, standard);
    return next === Number.POSITIVE_INFINITY ? null : next;
  };
}
