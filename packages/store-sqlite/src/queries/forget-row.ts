import { canonicalJson, payloadHash, type TaskRecord } from "@giveway/kernel";
import { stateCode } from "../codes.ts";
import type { WriteContext } from "../writer/context.ts";
import { preparePlaces } from "./places.ts";
import { counterOf } from "./settle.ts";

/** Deletes a task that isn't running, with its history; `remember` keeps the id of a succeeded one. */
export function prepareForgetRow(context: WriteContext): (stream: number, task: TaskRecord, remember: boolean) => void {
  const { driver, depths } = context;
  const places = preparePlaces(context);
  const drops = ["task", "state", "attempt", "change"].map((table) =>
    driver.prepare(`DELETE FROM ${table} WHERE key = ?`),
  );
  const memory = driver.prepare(
    `INSERT INTO remembered (id, key, type, payload_hash, ended_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET key = excluded.key, type = excluded.type, payload_hash = excluded.payload_hash,
       ended_at = excluded.ended_at`,
  );
  return (stream, task, remember) => {
    if (task.state === "waiting") {
      const { weight, noPrefetch, dueAt, seq, since } = task;
      places.take(task.key, { stream, weight, noPrefetch, dueAt, seq, since });
    } else depths.add(stream, task.weight, counterOf(stateCode(task.state)), -1);
    for (const drop of drops) drop.run(task.key);
    if (remember && task.state === "succeeded") {
      memory.run(task.id, task.key, task.type, payloadHash(canonicalJson(task.payload)), task.endedAt ?? 0);
    }
  };
}
