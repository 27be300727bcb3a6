import { ATTEMPT_OUTCOMES } from "@giveway/kernel";
import { z } from "zod";
import { problem } from "./problem.ts";
import {
  anyJson,
  dateInput,
  durationInput,
  instant,
  lane,
  listOf,
  storedState,
  text,
  viewState,
  weight,
  weightInput,
} from "./scalars.ts";

export const storedError = z
  .object({
    name: z.string(),
    message: z.string(),
    code: z.exactOptional(z.string()),
    stack: z.exactOptional(z.string()),
    causes: z.exactOptional(z.array(z.object({ name: z.string(), message: z.string() }))),
    retryable: z.exactOptional(z.boolean()),
  })
  .meta({ id: "StoredError", description: "What a failed attempt left behind, cut to a bound." });

const endReason = z.enum([
  "succeeded",
  "not_retryable",
  "retries_exhausted",
  "invalid_payload",
  "poison",
  "by_hand",
  "expired",
  "shed",
  "replaced",
]);

export const task = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    type: z.string(),
    queue: z.string(),
    state: storedState(),
    view: viewState().meta({ description: "The finer state: delayed, retrying, dispatched, …" }),
    settling: z.boolean().meta({ description: "Cancelled while its handler has not settled yet." }),
    weight: weight(),
    effectiveWeight: z.number().meta({ description: "The weight with what it gained by waiting." }),
    lane: lane(),
    attempt: z.int().meta({ description: "Starts so far." }),
    retries: z.int(),
    maxRetries: z.int().nullable(),
    payload: anyJson(),
    result: anyJson(),
    progress: anyJson(),
    lastError: storedError.nullable(),
    lastOutcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
    endReason: endReason.nullable(),
    requestId: z
      .string()
      .meta({ description: "Equal for all attempts: what handlers hand on so that a repeat can be told." }),
    rerunOf: z.string().nullable(),
    tags: z.array(z.string()),
    node: z.string().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
    dueAt: instant(),
    startedAt: instant().nullable(),
    endedAt: instant().nullable(),
    deadline: instant().nullable(),
    expires: instant().nullable(),
  })
  .meta({ id: "Task" });

export const retryInput = z
  .strictObject({
    delays: z.exactOptional(z.array(durationInput)).meta({ description: "One delay per retry; an empty list: never." }),
    exponential: z.exactOptional(
      z.strictObject({
        base: durationInput,
        factor: z.exactOptional(z.number()),
        cap: z.exactOptional(durationInput),
        max: z.exactOptional(z.int().min(0)),
      }),
    ),
  })
  .meta({ id: "RetryInput", description: "Retries of this task alone, instead of the type's." });

export const submitRequest = z
  .strictObject({
    type: text(),
    payload: anyJson().optional().meta({ description: "Any JSON value, at most 256 KiB; null where absent." }),
    id: z
      .exactOptional(z.string())
      .meta({ description: "Yours, up to 255 characters. A known id answers the task it belongs to." }),
    name: z.exactOptional(text()).meta({ description: "For people." }),
    weight: z.exactOptional(weightInput),
    delay: z.exactOptional(durationInput),
    runAt: z.exactOptional(dateInput),
    deadline: z.exactOptional(dateInput),
    expires: z.exactOptional(dateInput).meta({ description: "Not started by then: cancelled as expired." }),
    queue: z.exactOptional(text()),
    retry: z.exactOptional(retryInput),
    timeout: z.exactOptional(durationInput),
    requestId: z.exactOptional(text()),
    onDuplicate: z.exactOptional(z.enum(["return", "reject", "replace"])),
    tags: z.exactOptional(z.array(text())),
  })
  .meta({ id: "SubmitRequest" });

export const submitAnswer = z
  .object({
    task,
    created: z.boolean().meta({ description: "False: the id was known, and `task` is the one it belongs to." }),
    pruned: z.exactOptional(z.literal(true)).meta({ description: "Its row is gone; it had succeeded." }),
    reason: z.exactOptional(z.string()).meta({ description: "Why `replace` did not replace." }),
  })
  .meta({ id: "SubmitAnswer" });

export const MAX_BATCH = 10_000;
/** Items are checked one by one, so that a bad one does not harm the others (V-31). */
const batchItems = z
  .array(z.unknown())
  .min(1)
  .max(MAX_BATCH)
  .meta({ items: { $ref: "#/components/schemas/SubmitRequest" } });
export const batchRequest = z
  .union([z.strictObject({ tasks: batchItems }), z.strictObject({ items: batchItems }), batchItems], {
    error: `expected {"tasks": […]} with 1 to ${MAX_BATCH} items`,
  })
  .meta({ id: "BatchRequest", description: "The items under `tasks` (or `items`, or as a bare list)." });
export const batchAnswer = z
  .object({ results: z.array(z.union([submitAnswer, z.object({ error: problem })])) })
  .meta({ id: "BatchAnswer", description: "One answer per item, in order." });

export const oneTask = z.object({ task }).meta({ id: "OneTask" });
export const taskList = listOf(task).meta({ id: "TaskList" });
export const rerunAnswer = z
  .object({ task, created: z.boolean().meta({ description: "True: it had succeeded, so a new task was made." }) })
  .meta({ id: "RerunAnswer" });

const cause = () => z.exactOptional(text()).meta({ description: "Why; kept in the task's history." });

export const editRequest = z
  .strictObject({
    payload: anyJson().optional(),
    weight: z.exactOptional(weightInput),
    runAt: z.exactOptional(dateInput),
    delay: z.exactOptional(durationInput),
    name: z.exactOptional(text().nullable()),
    cause: cause(),
  })
  .meta({ id: "EditRequest", description: "What to change; absent fields stay." });
export const cancelRequest = z.strictObject({ cause: cause() }).meta({ id: "CancelRequest" });
export const rerunRequest = z
  .strictObject({ payload: anyJson().optional(), delay: z.exactOptional(durationInput), cause: cause() })
  .meta({ id: "RerunRequest" });

export const attempt = z
  .object({
    attempt: z.int(),
    outcome: z.enum([...ATTEMPT_OUTCOMES, "running"]).nullable(),
    node: z.string().nullable(),
    startedAt: instant().nullable(),
    endedAt: instant().nullable(),
    error: storedError.nullable(),
    log: z.array(z.object({ at: instant(), level: z.enum(["debug", "info", "warn", "error"]), text: z.string() })),
  })
  .meta({ id: "Attempt" });

export const history = z
  .object({
    attempts: z.array(attempt).meta({ description: "Oldest first." }),
    changes: z.array(
      z.object({
        at: instant(),
        by: z.string(),
        kind: z.string(),
        before: anyJson(),
        after: anyJson(),
        cause: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "History" });

export const why = z
  .object({
    id: z.string(),
    state: storedState(),
    view: viewState(),
    reasons: z.array(z.object({ code: z.string(), text: z.string() })),
    position: z.exactOptional(z.int()).meta({ description: "Tasks that start before it, exact up to 1 000." }),
    weight: z.exactOptional(
      z.object({ base: weight(), gained: z.number(), effective: z.number(), ceiling: z.number() }),
    ),
    estimate: z.exactOptional(instant()).meta({ description: "An estimate of its start." }),
    attempts: z.array(attempt),
  })
  .meta({ id: "Why" });
