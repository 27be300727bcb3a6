import { type AnswerOf, type BodyOf, check, makeProblem, type Problem, submitRequest } from "@giveway/api";
import type { EditPatch, Scheduler, SubmitItem } from "@giveway/engine";
import { GivewayError } from "@giveway/kernel";
import type { FastifyRequest } from "fastify";
import type { JsonAnswer, Part } from "../http/handler.ts";
import { idempotencyKey, idFrom } from "../http/idempotency-key.ts";

type BatchResult = AnswerOf<"submitBatch">["results"][number];

/** How a thrown error is told within an answer that is none itself. */
export type ToProblem = (error: unknown, request: FastifyRequest) => Problem;

export function taskHandlers(
  scheduler: Scheduler,
  toProblem: ToProblem,
): Part<
  | "submitTask"
  | "submitBatch"
  | "findTasks"
  | "getTask"
  | "getHistory"
  | "getWhy"
  | "editTask"
  | "cancelTask"
  | "rerunTask"
  | "removeTask"
> {
  return {
    async submitTask({ body, request }) {
      const { type, payload = null, ...options } = body;
      const id = idFrom(request, options.id);
      const answer = await scheduler.submit(type, payload, { ...options, ...(id === undefined ? {} : { id }) });
      return located(answer, answer.created ? 201 : 200);
    },

    async submitBatch({ body, request }) {
      if (idempotencyKey(request) !== null) {
        throw new GivewayError("invalid_option", "Idempotency-Key: a batch takes none; give each item its own id", {
          field: "Idempotency-Key",
        });
      }
      const items = "tasks" in body ? body.tasks : "items" in body ? body.items : body;
      return { body: { results: await submitEach(scheduler, items, (error) => toProblem(error, request)) } };
    },

    async findTasks({ query }) {
      return { body: await scheduler.find(query) };
    },

    async getTask({ params }) {
      const task = await scheduler.get(params.id);
      if (task === null) {
        throw new GivewayError("task_not_found", `there is no task ${params.id}`, { subject: params.id });
      }
      return { body: { task } };
    },

    async getHistory({ params }) {
      return { body: await scheduler.history(params.id) };
    },

    async getWhy({ params }) {
      return { body: await scheduler.why(params.id) };
    },

    async editTask({ params, body, caller }) {
      const { cause, ...patch } = body;
      const actor = { by: caller.by, ...(cause === undefined ? {} : { cause }) };
      const task = await edit(scheduler, params.id, patch, actor);
      return { body: { task } };
    },

    async cancelTask({ params, body, caller }) {
      return { body: { task: await scheduler.cancel(params.id, { by: caller.by, ...body }) } };
    },

    async rerunTask({ params, body, caller }) {
      const answer = await scheduler.rerun(params.id, { by: caller.by, ...body });
      return answer.created ? located(answer, 201) : { body: answer };
    },

    async removeTask({ params, caller }) {
      await scheduler.remove(params.id, { by: caller.by });
      return { status: 204 };
    },
  };
}

type WithTask = AnswerOf<"submitTask"> | AnswerOf<"rerunTask">;

function located<Body extends WithTask>(body: Body, status: number): JsonAnswer<Body> {
  return { status, body, headers: { location: `/v1/tasks/${encodeURIComponent(body.task.id)}` } };
}

/** Items that are not even well formed get their answer here; the others go to the scheduler in one batch. */
async function submitEach(
  scheduler: Scheduler,
  items: readonly unknown[],
  toProblem: (error: unknown) => Problem,
): Promise<BatchResult[]> {
  const results = new Array<BatchResult>(items.length);
  const good: { readonly at: number; readonly item: SubmitItem }[] = [];
  items.forEach((item, at) => {
    try {
      const { payload = null, ...rest } = check(submitRequest, item);
      good.push({ at, item: { ...rest, payload } });
    } catch (error) {
      results[at] = { error: toProblem(error) };
    }
  });
  const answers = good.length === 0 ? [] : await scheduler.submitMany(good.map(({ item }) => item));
  good.forEach(({ at }, nth) => {
    const answer = answers[nth];
    if (answer === undefined) results[at] = { error: makeProblem("internal", "the item was not answered") };
    else results[at] = "error" in answer ? { error: toProblem(answer.error) } : answer;
  });
  return results;
}

async function edit(
  scheduler: Scheduler,
  id: string,
  patch: Omit<BodyOf<"editTask">, "cause">,
  actor: { readonly by: string; readonly cause?: string },
) {
  const keys = Object.keys(patch);
  if (keys.length === 0) {
    throw new GivewayError("invalid_option", "there is nothing to change: send weight, payload, runAt, delay or name");
  }
  // A weight alone may change in states that allow no other edit.
  if (keys.length === 1 && patch.weight !== undefined) return await scheduler.reweight(id, patch.weight, actor);
  return await scheduler.edit(id, patch satisfies EditPatch, actor);
}
