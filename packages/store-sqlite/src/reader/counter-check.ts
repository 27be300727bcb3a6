import type { Driver } from "../driver/driver.ts";

/** Counts the tables and compares them with the counters, and every task with its one place. For `check` only: it reads everything. */
export function counterFindings(driver: Driver): string[] {
  return [...wrongCounters(driver), ...misplaced(driver)];
}

const COUNTED = `
SELECT t.stream, coalesce(r.weight, s.weight, t.weight) AS weight,
  sum(w.key IS NOT NULL) AS ready, sum(d.key IS NOT NULL) AS delayed, sum(r.key IS NOT NULL) AS running,
  sum(r.key IS NULL AND coalesce(s.state, 0) = 2) AS succeeded, sum(r.key IS NULL AND coalesce(s.state, 0) = 3) AS dead,
  sum(r.key IS NULL AND coalesce(s.state, 0) = 4) AS cancelled
FROM task t
LEFT JOIN state s ON s.key = t.key
LEFT JOIN running r ON r.key = t.key
LEFT JOIN (SELECT key FROM ready) w ON w.key = t.key
LEFT JOIN (SELECT key FROM delayed) d ON d.key = t.key
GROUP BY 1, 2`;

function wrongCounters(driver: Driver): string[] {
  const columns = "stream, weight, ready, delayed, running, succeeded, dead, cancelled";
  const rows = driver
    .prepare(
      `SELECT stream, weight, group_concat(side || ': ' || counts, '; ') AS said FROM (
         SELECT stream, weight, 'counted' AS side, concat_ws(' ', ready, delayed, running, succeeded, dead, cancelled) AS counts FROM (
           SELECT ${columns} FROM (${COUNTED}) EXCEPT SELECT ${columns} FROM depth)
         UNION ALL
         SELECT stream, weight, 'counters', concat_ws(' ', ready, delayed, running, succeeded, dead, cancelled) FROM (
           SELECT ${columns} FROM depth WHERE ready <> 0 OR delayed <> 0 OR running <> 0 OR succeeded <> 0 OR dead <> 0 OR cancelled <> 0
           EXCEPT SELECT ${columns} FROM (${COUNTED})))
       GROUP BY stream, weight`,
    )
    .all();
  return rows.map(([stream, weight, said]) => `counters of stream ${stream}, weight ${weight} are wrong (${said})`);
}

function misplaced(driver: Driver): string[] {
  const rows = driver
    .prepare(
      `SELECT t.id, count(p.key) AS places, coalesce(s.state, 0) AS state FROM task t
       LEFT JOIN state s ON s.key = t.key
       LEFT JOIN (SELECT key FROM ready UNION ALL SELECT key FROM delayed UNION ALL SELECT key FROM running) p ON p.key = t.key
       GROUP BY t.key HAVING places <> (coalesce(s.state, 0) = 0) LIMIT 100`,
    )
    .all();
  return rows.map(([id, places]) => `task ${id} stands in ${places} places`);
}
