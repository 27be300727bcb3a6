import { z } from "zod";
import { anyJson, durationInput, instant, lane, listOf, policy, text, weight } from "./scalars.ts";

export const queue = z
  .object({
    name: z.string(),
    policy: policy(),
    slots: z.int(),
    burst: z.int().meta({ description: "Slots with burst included." }),
    share: z.number().meta({ description: "Percent of the slots that express may hold while standard work waits." }),
    cap: z.int().meta({ description: "The same in slots." }),
    paused: z.boolean(),
    overrides: z.array(z.object({ key: z.string(), value: anyJson(), by: z.string(), at: instant() })),
    depth: z.object({
      waiting: z.int(),
      delayed: z.int(),
      running: z.int(),
      express: z.int(),
      standard: z.int(),
      byWeight: z.record(z.string(), z.int()),
    }),
    oldestWaiting: z
      .object({ express: z.number().nullable(), standard: z.number().nullable() })
      .meta({ description: "Milliseconds that the oldest waiting task of each lane has waited." }),
    types: z.array(
      z.object({
        type: z.string(),
        paused: z.boolean(),
        concurrency: z.int().nullable(),
        running: z.int(),
        zombies: z.int(),
        stopped: z.boolean(),
      }),
    ),
    ended: z.object({ succeeded: z.int(), dead: z.int(), cancelled: z.int() }),
    bounds: z
      .object({ order: z.object({ breaches: z.int() }), share: z.object({ breaches: z.int() }) })
      .meta({ description: "Breaches of the two starvation bounds; they stay zero." }),
  })
  .meta({ id: "Queue" });

export const oneQueue = z.object({ queue }).meta({ id: "OneQueue" });
export const queueList = listOf(queue).meta({ id: "QueueList" });

export const queuePatch = z
  .strictObject({
    paused: z.exactOptional(z.boolean().nullable()),
    slots: z.exactOptional(z.int().min(1).nullable()),
    burst: z.exactOptional(z.int().min(1).nullable()),
    share: z.exactOptional(z.number().min(0).max(100).nullable()),
    steps: z.exactOptional(
      z.strictObject({ standard: z.exactOptional(durationInput), express: z.exactOptional(durationInput) }).nullable(),
    ),
    cause: z.exactOptional(text()),
  })
  .meta({ id: "QueuePatch", description: "A live change that wins over code and survives restarts; null resets." });

export const nextList = listOf(
  z
    .object({
      position: z.int(),
      id: z.string(),
      type: z.string(),
      name: z.string().nullable(),
      weight: weight(),
      effectiveWeight: z.number(),
      lane: lane(),
    })
    .meta({ id: "NextTask" }),
).meta({ id: "NextList" });

export const slotList = listOf(
  z
    .object({
      queue: z.string(),
      kind: z.enum(["base", "burst", "zombie"]),
      task: z.string(),
      type: z.string(),
      name: z.string().nullable(),
      weight: weight(),
      attempt: z.int(),
      startedAt: instant(),
      timeoutAt: instant().nullable(),
      settling: z.boolean(),
    })
    .meta({ id: "Slot" }),
).meta({ id: "SlotList" });

export const taskType = z
  .object({
    type: z.string(),
    queue: z.string(),
    derivesId: z.boolean().meta({ description: "The type derives a task's id from its payload." }),
    concurrency: z.int().nullable(),
    timeout: z.number().meta({ description: "ms" }),
    paused: z.boolean(),
    running: z.int(),
    zombies: z.int(),
    stopped: z.boolean().meta({ description: "Zombies fill its slots: it isn't started on this node any more." }),
  })
  .meta({ id: "TaskType" });
export const typeList = listOf(taskType).meta({ id: "TypeList" });
export const oneType = z.object({ type: taskType }).meta({ id: "OneType" });
export const typePatch = z
  .strictObject({ paused: z.boolean(), cause: z.exactOptional(text()) })
  .meta({ id: "TypePatch" });
