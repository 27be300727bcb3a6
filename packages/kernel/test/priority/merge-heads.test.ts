import {
  type HeadSource,
  laneOrders,
  mergeHeads,
  POLICIES,
  ReadyQueue,
  seededRandom,
  type Weight,
} from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NaiveQueue, type NaiveTask } from "../models/naive-order.ts";

/** One source per stream and weight over plain arrays, as a store's pages would be. */
function sourcesOf(tasks: readonly NaiveTask[], weights: readonly Weight[]): HeadSource<NaiveTask>[] {
  const groups = new Map<string, NaiveTask[]>();
  for (const task of tasks) {
    const key = `${task.stream} ${task.weight}`;
    groups.set(key, [...(groups.get(key) ?? []), task]);
  }
  return [...groups.values()]
    .filter((group) => weights.includes(group[0]!.weight as Weight))
    .map((group) => {
      group.sort((one, other) => one.seq - other.seq);
      let next = 0;
      return {
        weight: group[0]!.weight as Weight,
        peek: () => group[next] ?? null,
        advance: () => {
          next += 1;
        },
      };
    });
}

describe("merging heads", () => {
  test("gives the same order as a full sort, and as the ready queue", () => {
    const steps = { standard: 800, express: 150 };
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(...POLICIES),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 0, max: 220 }),
        (seed, policy, count, limit) => {
          const random = seededRandom(seed);
          const naive = new NaiveQueue({ policy, steps });
          const lanes = laneOrders(policy, steps);
          const queue = new ReadyQueue<number>(lanes);
          let since = 0;
          for (let id = 0; id < count; id += 1) {
            since += Math.floor(random() * 60);
            const weight = (1 + Math.floor(random() * 10)) as Weight;
            const task = { id, stream: `s${Math.floor(random() * 7)}`, weight, seq: id, since };
            naive.tasks.set(id, task);
            queue.push(id, task);
          }
          const now = since + Math.floor(random() * 2000);
          for (const { lane, weights, ranking } of lanes) {
            const expected = naive.sorted(lane, now).map((task) => task.id);
            const merged: number[] = [];
            const sources = sourcesOf([...naive.tasks.values()], weights);
            const taken = mergeHeads(sources, ranking, now, limit, (task, source) => {
              expect(source.weight).toBe(task.weight);
              merged.push(task.id);
            });
            expect(taken).toBe(merged.length);
            expect(merged).toEqual(expected.slice(0, limit));
            const drained: number[] = [];
            for (let entry = queue.take(lane, now); entry !== null; entry = queue.take(lane, now)) {
              drained.push(entry.item);
            }
            expect(drained).toEqual(expected);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("takes nothing from nothing, and nothing for a limit of 0", () => {
    const ranking = { kind: "fifo" } as const;
    expect(mergeHeads([], ranking, 0, 5, () => expect.unreachable())).toBe(0);
    const source = { weight: 5 as Weight, peek: () => ({ seq: 1, since: 0 }), advance: () => expect.unreachable() };
    expect(mergeHeads([source], ranking, 0, 0, () => expect.unreachable())).toBe(0);
  });
});
