import { z } from "zod";

/** RFC 9457 with our code. `type` leads to the code's entry in the human documentation. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: "One line: what happened, to what, and what to do." }),
    code: z.string().meta({ description: "Stable; see the table of error codes." }),
    retryable: z.boolean().meta({ description: "Whether the same call may succeed later without a change." }),
    field: z.exactOptional(z.string()).meta({ description: "The field, payload path or parameter it is about." }),
    subject: z.exactOptional(z.string()).meta({ description: "The task, queue or node it happened to." }),
    live: z.exactOptional(z.boolean()),
    ready: z.exactOptional(z.boolean()),
    reasons: z
      .exactOptional(z.array(z.string()))
      .meta({ description: "Of `not_ready`: what keeps the node from dispatching." }),
  })
  .meta({ id: "Problem" });
