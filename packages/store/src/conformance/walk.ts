import { seededRandom } from "@giveway/kernel";
import { expect } from "vitest";
import { createMemoryStore } from "../memory/index.ts";
import { registration, T0 } from "./support/builders.ts";
import { Pair } from "./support/compare.ts";
import type { Harness } from "./support/harness.ts";
import { allRows, byName } from "./support/recount.ts";
import { type Walk, walkStep } from "./support/walk-steps.ts";

/** Calls in one walk; then it starts anew with an empty ledger and the next seed. */
const LENGTH = 1_000;
const LOOK_EVERY = 100;

/**
 * The same random calls to the store and to the memory store, every answer compared; every so often all rows, counters and settings too. Keys,
 * places and beats are the ledger's own: of places only the order is compared.
 */
export function walkSuite({ test, operations, seed }: Harness): void {
  const walks = Math.ceil(operations / LENGTH);
  for (let walk = 0; walk < walks; walk += 1) {
    const own = seed * 10_000 + walk;
    const length = Math.min(LENGTH, operations - walk * LENGTH);
    test(`${length} random calls, seed ${own}`, async (s) => {
      const reference = createMemoryStore();
      await reference.open();
      for (const node of await s.store.nodes()) await reference.register(registration(node.node, T0));
      const pair = new Pair(s.store, reference);
      const state: Walk = { pair, random: seededRandom(own), now: T0, keys: new Map(), claims: 0, made: 0 };
      for (let step = 0; step < length; step += 1) {
        pair.where = `seed ${own}, step ${step}`;
        await walkStep(state);
        if (step % LOOK_EVERY === LOOK_EVERY - 1 || step === length - 1) await compareAll(state);
      }
      pair.assertOrder();
      expect(await reference.check()).toEqual([]);
      s.now = state.now;
      await reference.close();
    });
  }
}

async function compareAll({ pair, now }: Walk): Promise<void> {
  await pair.same("all rows", (store) => allRows(store, now));
  await pair.same("depths", async (store) => byName(await store.depths()));
  await pair.same("totals", async (store) => byName(await store.totals()));
  await pair.same("next due", async (store) => byName(await store.nextDue()));
  await pair.same("overrides", async (store) => byName(await store.overrides()));
}
