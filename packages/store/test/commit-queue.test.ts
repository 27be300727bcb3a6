import { COMMIT_TURNS, type CommitPart, CommitQueue, type CommitTurn } from "@giveway/store";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

interface Call {
  readonly id: number;
  readonly turn: CommitTurn;
  readonly size: number;
}

const ids = (parts: readonly CommitPart<string>[]): string[] => parts.map(({ call }) => call);

function drained<Item>(queue: CommitQueue<Item>): CommitPart<Item>[][] {
  const batches: CommitPart<Item>[][] = [];
  for (let batch = queue.nextBatch(); batch.length > 0; batch = queue.nextBatch()) batches.push(batch);
  return batches;
}

describe("the order of turns of group commit", () => {
  it("is empty where nothing waits", () => {
    const queue = new CommitQueue<string>();
    expect(queue.nextBatch()).toEqual([]);
    expect(queue.calls).toBe(0);
    expect(queue.clear()).toEqual([]);
  });

  it("takes settlements, claims, changes, express, normal, bulk, each first come, first served", () => {
    const queue = new CommitQueue<string>();
    for (const turn of [...COMMIT_TURNS].reverse()) for (const n of [1, 2]) queue.enqueue(turn, `${turn}${n}`, 1);
    expect(ids(queue.nextBatch())).toEqual(COMMIT_TURNS.flatMap((turn) => [`${turn}1`, `${turn}2`]));
  });

  it("hands a call out whole, with its operations, once", () => {
    const queue = new CommitQueue<string>();
    queue.enqueue("settle", "a", 7);
    queue.enqueue("normal", "b", 0);
    expect(queue.calls).toBe(2);
    expect(queue.nextBatch()).toEqual([
      { call: "a", turn: "settle", from: 0, to: 7, last: true },
      { call: "b", turn: "normal", from: 0, to: 0, last: true },
    ]);
    expect(queue.calls).toBe(0);
    expect(queue.nextBatch()).toEqual([]);
  });

  it("slices a million bulk rows by 500, and a settlement in between waits for one slice", () => {
    const queue = new CommitQueue<string>();
    queue.enqueue("bulk", "million", 1_000_000);
    expect(queue.nextBatch()).toEqual([{ call: "million", turn: "bulk", from: 0, to: 500, last: false }]);
    queue.enqueue("settle", "urgent", 3);
    queue.enqueue("express", "critical", 1);
    const parts = queue.nextBatch();
    expect(ids(parts)).toEqual(["urgent", "critical", "million"]);
    expect(parts[2]).toMatchObject({ from: 500, to: 1_000 });
    const rest = drained(queue);
    expect(rest).toHaveLength(1_998);
    expect(rest.at(-1)).toEqual([{ call: "million", turn: "bulk", from: 999_500, to: 1_000_000, last: true }]);
  });

  it("lets bulk calls take turns, so that a short one does not wait for a long one", () => {
    const queue = new CommitQueue<string>({ bulkRows: 10 });
    queue.enqueue("bulk", "long", 100);
    queue.enqueue("bulk", "short", 12);
    queue.enqueue("bulk", "tiny", 3);
    expect(queue.nextBatch()).toMatchObject([{ call: "long", from: 0, to: 10 }]);
    expect(queue.nextBatch()).toMatchObject([{ call: "short", from: 0, to: 10, last: false }]);
    expect(queue.nextBatch()).toMatchObject([
      { call: "tiny", from: 0, to: 3, last: true },
      { call: "long", from: 10, to: 17 },
    ]);
    expect(queue.nextBatch()).toMatchObject([
      { call: "short", from: 10, to: 12, last: true },
      { call: "long", from: 17, to: 25 },
    ]);
  });

  it("keeps room for bulk rows in a full commit, and lets a first call past the bound", () => {
    const queue = new CommitQueue<string>({ maxOps: 100, bulkRows: 20 });
    queue.enqueue("bulk", "bulk", 50);
    queue.enqueue("settle", "huge", 5_000);
    queue.enqueue("settle", "next", 1);
    queue.enqueue("claim", "claim1", 40);
    queue.enqueue("claim", "claim2", 40);
    queue.enqueue("normal", "insert", 30);
    expect(ids(queue.nextBatch())).toEqual(["huge", "claim1", "insert", "bulk"]);
    expect(ids(queue.nextBatch())).toEqual(["next", "claim2", "bulk"]);
  });

  it("fills a commit up to its bound and no further", () => {
    const queue = new CommitQueue<string>({ maxOps: 10 });
    for (let n = 0; n < 25; n += 1) queue.enqueue("normal", `n${n}`, 1);
    expect(drained(queue).map((batch) => batch.length)).toEqual([10, 10, 5]);
  });

  it("withdraws the rest of a call after a part of it failed", () => {
    const queue = new CommitQueue<string>();
    queue.enqueue("bulk", "failing", 2_000);
    queue.enqueue("bulk", "other", 10);
    queue.nextBatch();
    expect(queue.withdraw("failing")).toBe(true);
    expect(queue.withdraw("failing")).toBe(false);
    expect(queue.calls).toBe(1);
    expect(drained(queue).map(ids)).toEqual([["other"]]);
    expect(queue.calls).toBe(0);
  });

  it("gives up all that waits, in order of turns", () => {
    const queue = new CommitQueue<string>();
    queue.enqueue("bulk", "b", 2_000);
    queue.enqueue("normal", "n", 1);
    queue.enqueue("settle", "s", 1);
    queue.nextBatch();
    queue.enqueue("claim", "c", 1);
    expect(queue.clear()).toEqual(["c", "b"]);
    expect(queue.calls).toBe(0);
    expect(queue.nextBatch()).toEqual([]);
  });
});

describe("any sequence of calls and commits", () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ turn: fc.constantFrom(...COMMIT_TURNS), size: fc.nat({ max: 120 }) }) },
    { weight: 1, arbitrary: fc.constant("commit" as const) },
  );
  const limits = fc.record({ maxOps: fc.integer({ min: 1, max: 200 }), bulkRows: fc.integer({ min: 1, max: 60 }) });

  /** Plays a script to its end and answers the batches, each with the calls that waited when it was made. */
  function played(script: readonly (Omit<Call, "id"> | "commit")[], options: { maxOps: number; bulkRows: number }) {
    const queue = new CommitQueue<Call>(options);
    const calls: Call[] = [];
    const batches: { readonly waiting: readonly Call[]; readonly parts: readonly CommitPart<Call>[] }[] = [];
    const open = new Set<Call>();
    const commit = (): boolean => {
      const waiting = [...open];
      const parts = queue.nextBatch();
      batches.push({ waiting, parts });
      for (const { call, last } of parts) if (last) open.delete(call);
      expect(queue.calls).toBe(open.size);
      return parts.length > 0;
    };
    for (const item of script) {
      if (item === "commit") commit();
      else {
        const call = { ...item, id: calls.length };
        calls.push(call);
        open.add(call);
        queue.enqueue(call.turn, call, call.size);
      }
    }
    while (commit());
    return { calls, batches };
  }

  it("hands every operation out exactly once, and what is not bulk in one part", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), limits, (script, options) => {
        const { calls, batches } = played(script, options);
        const parts = batches.flatMap((batch) => batch.parts);
        for (const call of calls) {
          const own = parts.filter((part) => part.call === call);
          let next = 0;
          for (const { from, to } of own) {
            expect(from).toBe(next);
            expect(to).toBeGreaterThanOrEqual(from);
            next = to;
          }
          expect(next).toBe(call.size);
          expect(own.filter(({ last }) => last)).toHaveLength(1);
          expect(own.at(-1)?.last).toBe(true);
          if (call.turn !== "bulk") expect(own).toHaveLength(1);
        }
      }),
    );
  });

  it("keeps the order of turns within a commit, and of arrival within a turn", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), limits, (script, options) => {
        const { batches } = played(script, options);
        const seen = new Map<CommitTurn, number>();
        for (const { parts } of batches) {
          const turns = parts.map(({ turn }) => COMMIT_TURNS.indexOf(turn));
          expect(turns).toEqual([...turns].sort((a, b) => a - b));
          for (const { turn, call } of parts) {
            expect(call.turn).toBe(turn);
            if (turn === "bulk") continue;
            expect(call.id).toBeGreaterThan(seen.get(turn) ?? -1);
            seen.set(turn, call.id);
          }
        }
      }),
    );
  });

  it("keeps its bounds: of bulk rows always, of the rest but for the first call of a turn", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), limits, (script, options) => {
        for (const { parts } of played(script, options).batches) {
          const bulk = parts.filter(({ turn }) => turn === "bulk");
          expect(bulk.reduce((sum, { from, to }) => sum + to - from, 0)).toBeLessThanOrEqual(options.bulkRows);
          const room = bulk.length > 0 ? Math.max(0, options.maxOps - options.bulkRows) : options.maxOps;
          let ops = 0;
          const first = new Set<CommitTurn>();
          for (const { turn, from, to } of parts) {
            if (turn === "bulk") continue;
            ops += to - from;
            if (first.has(turn)) expect(ops).toBeLessThanOrEqual(room);
            first.add(turn);
          }
        }
      }),
    );
  });

  it("starves nobody: each turn that waits moves in every commit, and a bulk call within one round of the others", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), limits, (script, options) => {
        const { batches } = played(script, options);
        const served = new Map<Call, number>();
        for (const [index, { waiting, parts }] of batches.entries()) {
          for (const turn of COMMIT_TURNS) {
            const waits = waiting.some((call) => call.turn === turn);
            expect(parts.some((part) => part.turn === turn)).toBe(waits);
          }
          const bulk = waiting.filter(({ turn }) => turn === "bulk");
          for (const call of bulk) {
            if (!served.has(call)) served.set(call, index);
            if (parts.some((part) => part.call === call)) served.set(call, index + 1);
            // While it waits, every other bulk call is served at most once before it.
            expect(index - (served.get(call) ?? 0)).toBeLessThan(Math.max(1, waiting.length));
          }
        }
      }),
    );
  });

  it("leaves no room unused while something fits that waits in its turn", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), limits, (script, options) => {
        for (const { waiting, parts } of played(script, options).batches) {
          const bulkWaits = waiting.some(({ turn }) => turn === "bulk");
          const room = bulkWaits ? Math.max(0, options.maxOps - options.bulkRows) : options.maxOps;
          const taken = new Set(parts.map(({ call }) => call));
          let ops = 0;
          for (const turn of COMMIT_TURNS) {
            if (turn === "bulk") continue;
            for (const { call } of parts.filter((part) => part.turn === turn)) ops += call.size;
            const next = waiting.find((call) => call.turn === turn && !taken.has(call));
            if (next !== undefined) expect(ops + next.size).toBeGreaterThan(room);
          }
        }
      }),
    );
  });
});
