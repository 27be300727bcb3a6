import { seededRandom } from "@giveway/kernel";
import { expect } from "vitest";
import { Child } from "./child.ts";
import { openStore } from "./stores.ts";

/** Kills a process that inserts one task after the other, after a random number of acknowledgements, and looks for each of them; `rounds` times on one file. */
export async function killInserting(file: string, rounds: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const child = new Child("writer", [file, `round-${round}`]);
    const enough = 1 + Math.floor(random() * 60);
    await child.until(() => child.said.length > enough);
    await child.kill();
    acknowledged.push(...child.said.flatMap((line) => (line as { readonly id?: string }).id ?? []));
    await expectAll(file, acknowledged);
  }
  return acknowledged.length;
}

/** Kills one of two processes that insert, claim and settle; all that was given stays, and the counters are right. */
export async function killWorking(file: string, rounds: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const share = 100;
  let given = 0;
  for (let round = 0; round < rounds; round += 1) {
    const survivor = new Child("worker", [file, `survivor-${round}`, String(share)]);
    const victim = new Child("worker", [file, `victim-${round}`, "0"]);
    const enough = 1 + Math.floor(random() * 10);
    await victim.until(() => victim.said.length >= enough || victim.process.exitCode !== null).catch(() => null);
    await victim.kill();
    expect(await survivor.ended, survivor.errors).toBe(0);
    given += share;
    const store = await openStore({ file, inline: true });
    expect(await store.check()).toEqual([]);
    const depths = await store.depths();
    const totals = await store.totals();
    const counted = [
      ...depths.map(({ ready, delayed, running }) => ready + delayed + running),
      ...totals.map(({ count }) => count),
    ];
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(given);
    const nodes = await store.nodes();
    expect(nodes.every(({ provenDead }) => provenDead)).toBe(true);
    await store.close();
  }
}

async function expectAll(file: string, ids: readonly string[]): Promise<void> {
  const store = await openStore({ file, inline: true });
  const tasks = await store.get(ids as never);
  expect(tasks.filter((task) => task === null)).toEqual([]);
  expect(await store.check()).toEqual([]);
  await store.close();
}
