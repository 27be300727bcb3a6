import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@giveway/kernel";
import { expect } from "vitest";
import { type Served, serve } from "./support/serve.ts";

const tasks = join(import.meta.dirname, "fixtures", "effect-tasks.mjs");
const PER_ROUND = 20;

/**
 * Kill -9 at random moments amid submits, starts and finishes. What the server acknowledged has to be there afterwards, and to end exactly
 * once in effect; what it did not acknowledge is submitted again under its id, as a caller would.
 */
export async function killRounds(rounds: number, seed: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "giveway-kill-"));
  const random = seededRandom(seed);
  const acknowledged = new Set<string>();
  const start = (): Promise<Served> =>
    serve(`sqlite:${join(folder, "tasks.db")}`, ["--tasks", tasks], { EFFECTS: folder });
  let served = await start();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const ids = Array.from({ length: PER_ROUND }, (_, n) => `r${round}-${n}`);
      const killAfter = Math.floor(random() * PER_ROUND);
      const { client } = served;
      const killed = served;
      let answered = 0;
      await Promise.all(
        ids.map(async (id) => {
          try {
            await client.submit({
              type: "effect",
              payload: { id, ms: Math.floor(random() * 15) },
              id,
              weight: 1 + Math.floor(random() * 10),
            });
            acknowledged.add(id);
          } catch {
            // Not acknowledged: the caller doesn't know, and submits again.
          }
          answered += 1;
          if (answered === killAfter + 1) killed.process.kill("SIGKILL");
        }),
      );
      await killed.end("SIGKILL");
      served = await start();
      for (const id of ids) {
        if (acknowledged.has(id))
          expect((await served.client.get(id)).task.id, `seed ${seed}, round ${round}`).toBe(id);
        else
          acknowledged.add(
            (
              await served.client
                .submit({ type: "effect", payload: { id, ms: 1 }, id, onDuplicate: "return" })
                .catch(() => served.client.get(id))
            ).task.id,
          );
      }
    }
    await allEnded(served, acknowledged);
    await checkEffects(folder, acknowledged, seed);
  } finally {
    await served.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits by the event stream until every task has ended, then requires that each succeeded. */
async function allEnded({ client }: Served, ids: ReadonlySet<string>): Promise<void> {
  const open = async (): Promise<number> => {
    const { items } = await client.find({ state: ["waiting", "running"], limit: 1 });
    return items.length;
  };
  if ((await open()) > 0) {
    for await (const item of client.events({ recent: 1000 })) {
      if (item.kind === "event" && item.event.kind !== "succeeded" && item.event.kind !== "dead") continue;
      if ((await open()) === 0) break;
    }
  }
  for (const id of ids) expect((await client.get(id)).task, id).toMatchObject({ state: "succeeded" });
}

/** Each id had its effect exactly once: one file per request, so a task that was made twice would leave two. */
async function checkEffects(folder: string, ids: ReadonlySet<string>, seed: number): Promise<void> {
  const counts = new Map<string, number>();
  for (const name of await readdir(folder)) {
    if (!name.startsWith("effect-")) continue;
    const id = await readFile(join(folder, name), "utf8");
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const id of ids) expect(counts.get(id), `seed ${seed}: effects of ${id}`).toBe(1);
}
