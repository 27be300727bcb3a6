import { z } from "zod";
import { taskFilter } from "./find.ts";
import { anyJson, instant, text } from "./scalars.ts";

export const bulkRequest = z
  .strictObject({
    action: z.literal("redrive").meta({ description: "Dead tasks go back to waiting." }),
    filter: z.exactOptional(taskFilter).meta({ description: "Which dead tasks; {} means all." }),
    ids: z.exactOptional(z.array(text()).min(1).max(10_000)).meta({ description: "Only these." }),
    payload: anyJson().optional().meta({ description: "Replaces the payload of each." }),
    rate: z.exactOptional(z.number().min(0.001).max(100_000)).meta({ description: "Tasks per second; default 100." }),
    limit: z.exactOptional(z.int().min(1)).meta({ description: "At most so many." }),
    dryRun: z.exactOptional(z.boolean()).meta({ description: "Counts what matches and changes nothing." }),
    cause: z.exactOptional(text()),
  })
  .meta({ id: "BulkRequest" });

export const bulkCount = z
  .object({
    action: z.literal("redrive"),
    dryRun: z.literal(true),
    matched: z.int(),
  })
  .meta({ id: "BulkCount" });

export const bulkRun = z
  .object({
    id: z.string(),
    action: z.literal("redrive"),
    dryRun: z.literal(false),
    state: z.enum(["running", "done", "failed", "stopped"]),
    matched: z.int().meta({ description: "What matched when it began." }),
    redriven: z.int().meta({ description: "Done so far." }),
    by: z.string(),
    startedAt: instant(),
    endedAt: instant().nullable(),
    error: z.string().nullable().meta({ description: "Why it failed; repeat it for the rest." }),
  })
  .meta({ id: "BulkRun" });
