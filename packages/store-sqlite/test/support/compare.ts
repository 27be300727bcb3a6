import type { TaskStore } from "@giveway/store";
import { createMemoryStore } from "@giveway/store/memory";
import fc from "fast-check";
import { expect } from "vitest";
import { play, type Step, script } from "./script.ts";

/** Takes a store and the reference store through the same random scripts and compares all they tell. `open` makes a store with a fresh ledger. */
export async function compareWithMemory(open: (run: number) => TaskStore, numRuns: number): Promise<Coverage> {
  let run = 0;
  const coverage: Coverage = { claimed: 0, applied: 0, refused: 0, changed: 0, found: 0 };
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      run += 1;
      const memory = createMemoryStore();
      const store = open(run);
      await Promise.all([memory.open(), store.open()]);
      try {
        const expected = await play(memory, steps);
        expect(await play(store, steps)).toEqual(expected);
        expect(await store.check()).toEqual([]);
        count(coverage, steps, expected);
      } finally {
        await Promise.all([memory.close(), store.close()]);
      }
    }),
    { numRuns },
  );
  return coverage;
}

/** What the scripts came across, so that a run that compared nothing of note shows. */
export interface Coverage {
  claimed: number;
  applied: number;
  refused: number;
  changed: number;
  found: number;
}

function count(coverage: Coverage, steps: readonly Step[], told: readonly unknown[]): void {
  for (const index of steps.keys()) {
    const [kind, answer] = told[index] as [Step["kind"], never];
    if (kind === "claim") coverage.claimed += (answer as { tasks: unknown[] }).tasks.length;
    if (kind === "find") coverage.found += (answer as { tasks: unknown[] }).tasks.length;
    if (kind === "settle" || kind === "change") {
      for (const outcome of (answer ?? []) as { kind: string }[]) {
        if (outcome.kind === "refused") coverage.refused += 1;
        else if (kind === "settle") coverage.applied += 1;
        else coverage.changed += 1;
      }
    }
  }
}
