import type { QueueName, TypeName, Weight } from "@giveway/kernel";
import type { Depth, EndedTotal } from "@giveway/store";
import type { Driver } from "../driver/driver.ts";

/** Depth per stream and weight, from the counters; the head's age is one look into `ready` each. */
export function prepareDepths(driver: Driver): () => Depth[] {
  const all = driver.prepare(
    `SELECT q.name, s.type, d.weight, d.ready, d.delayed, d.running,
       (SELECT since FROM ready r WHERE r.stream = d.stream AND r.weight = d.weight ORDER BY r.seq LIMIT 1)
     FROM depth d JOIN stream s ON s.id = d.stream JOIN queue q ON q.id = s.queue
     WHERE d.ready <> 0 OR d.delayed <> 0 OR d.running <> 0`,
  );
  return () =>
    all.all().map((row) => {
      const [queue, type, weight, ready, delayed, running, oldest] = row as unknown as DepthCells;
      return { queue, type, weight, ready, delayed, running, oldest };
    });
}

type DepthCells = readonly [QueueName, TypeName, Weight, number, number, number, number | null];

export function prepareTotals(driver: Driver): () => EndedTotal[] {
  const states = ["succeeded", "dead", "cancelled"] as const;
  const all = driver.prepare(
    `SELECT q.name, s.type, sum(d.succeeded), sum(d.dead), sum(d.cancelled)
     FROM depth d JOIN stream s ON s.id = d.stream JOIN queue q ON q.id = s.queue GROUP BY s.id`,
  );
  return () =>
    all.all().flatMap(([queue, type, ...counts]) =>
      states.flatMap((state, index) => {
        const count = Number(counts[index]);
        return count > 0 ? [{ queue: queue as QueueName, type: type as TypeName, state, count }] : [];
      }),
    );
}

export function prepareNextDue(driver: Driver): () => { readonly queue: string; readonly dueAt: number }[] {
  const all = driver.prepare(
    `SELECT q.name, (SELECT due FROM delayed d WHERE d.queue = q.id AND d.express = 1 ORDER BY due LIMIT 1),
       (SELECT due FROM delayed d WHERE d.queue = q.id AND d.express = 0 ORDER BY due LIMIT 1) AS standard
     FROM queue q`,
  );
  return () =>
    all.all().flatMap(([queue, ...heads]) => {
      const dues = heads.flatMap((due) => (due === null ? [] : [Number(due)]));
      return dues.length === 0 ? [] : [{ queue: String(queue), dueAt: Math.min(...dues) }];
    });
}
