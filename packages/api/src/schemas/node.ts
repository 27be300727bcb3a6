import { z } from "zod";
import { anyJson, instant, listOf, weight } from "./scalars.ts";

export const nodeList = listOf(
  z
    .object({
      id: z.string(),
      label: z.string(),
      release: z.string(),
      alive: z.boolean(),
      self: z.boolean(),
      leader: z.boolean(),
      startedAt: instant(),
      types: z.array(z.string()),
    })
    .meta({ id: "Node" }),
).meta({ id: "NodeList" });

export const stats = z
  .object({
    backlog: z.int(),
    delayed: z.int(),
    running: z.int(),
    dead: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    successRate: z.number().min(0).max(1).nullable(),
    failureRate: z.number().min(0).max(1).nullable(),
    meanWait: z.number().nullable().meta({ description: "ms" }),
    meanRun: z.number().nullable().meta({ description: "ms" }),
    meanScheduleDelay: z.number().nullable().meta({ description: "ms" }),
  })
  .meta({ id: "Stats" });

export const health = z
  .object({
    status: z.literal("ok"),
    live: z.boolean(),
    ready: z.boolean(),
    reasons: z.array(z.string()).meta({ description: "What keeps the node from dispatching." }),
  })
  .meta({ id: "Health" });

/** The `data` of one server-sent event. */
export const taskEvent = z
  .object({
    n: z.int().meta({ description: "Grows by one per event of this node." }),
    at: instant(),
    kind: z.string(),
    task: z.string().nullable(),
    type: z.string().nullable(),
    queue: z.string().nullable(),
    name: z.string().nullable(),
    weight: weight().nullable(),
    attempt: z.int().nullable(),
    data: z.record(z.string(), anyJson()),
  })
  .meta({ id: "TaskEvent" });

/** Sent as `event: gap` where a stream can't go on from the given Last-Event-ID: events in between were not kept. */
export const eventGap = z
  .object({ missed: z.int().nullable().meta({ description: "How many; null where that is not known." }) })
  .meta({ id: "EventGap" });
