import type { z } from "zod";
import type { DeepReadonly } from "../operation.ts";
import type { AnswerOf } from "../operations.ts";
import { writeQuery } from "../query.ts";
import type { bulkCount, bulkRequest, bulkRun } from "../schemas/bulk.ts";
import type { taskFilter } from "../schemas/find.ts";
import type { eventGap, taskEvent } from "../schemas/node.ts";
import type { queue, queuePatch, taskType } from "../schemas/queue.ts";
import type { editRequest, rerunRequest, submitRequest, task } from "../schemas/task.ts";
import { followEvents } from "./follow-events.ts";
import { type ClientOptions, Http } from "./http.ts";

type In<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>;
type Out<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

export type Task = Out<typeof task>;
export type Queue = Out<typeof queue>;
export type TaskTypeInfo = Out<typeof taskType>;
export type BulkRun = Out<typeof bulkRun>;
export type BulkCount = Out<typeof bulkCount>;
export type TaskEvent = Out<typeof taskEvent>;
export type Submit = In<typeof submitRequest>;
export type Find = In<typeof taskFilter> & { readonly cursor?: string; readonly limit?: number };
export type Bulk = In<typeof bulkRequest>;

export interface SubmitCallOptions {
  /** Sent as `Idempotency-Key`: serves as the id where the task has none. */
  readonly idempotencyKey?: string;
}
export interface EventsOptions {
  /** Begin with so many of the events just past. */
  readonly recent?: number;
  /** Go on after this one. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** Connect again when the stream breaks, and go on where it broke; default true. */
  readonly reconnect?: boolean;
}
export type StreamedEvent =
  /** The stream is open, at first or again: whatever happens from here on will come. The moment to look at what one waits for. */
  | { readonly kind: "open" }
  | { readonly kind: "event"; readonly id: string; readonly event: TaskEvent }
  /** Events were lost between the one before and the next. */
  | { readonly kind: "gap"; readonly missed: z.output<typeof eventGap>["missed"] };

/** Every call of the HTTP face, typed. All reject with coded errors: `ApiError` for what the server answered. */
export interface Client {
  readonly url: string;
  submit(item: Submit, options?: SubmitCallOptions): Promise<AnswerOf<"submitTask">>;
  submitMany(items: readonly Submit[]): Promise<AnswerOf<"submitBatch">>;
  find(query?: Find): Promise<AnswerOf<"findTasks">>;
  get(id: string): Promise<AnswerOf<"getTask">>;
  history(id: string): Promise<AnswerOf<"getHistory">>;
  why(id: string): Promise<AnswerOf<"getWhy">>;
  edit(id: string, patch: In<typeof editRequest>): Promise<AnswerOf<"editTask">>;
  cancel(id: string, options?: { readonly cause?: string }): Promise<AnswerOf<"cancelTask">>;
  rerun(id: string, options?: In<typeof rerunRequest>): Promise<AnswerOf<"rerunTask">>;
  remove(id: string): Promise<void>;
  /** Counts what a bulk request would act on. */
  countBulk(request: Omit<Bulk, "dryRun">): Promise<BulkCount>;
  startBulk(request: Omit<Bulk, "dryRun">): Promise<BulkRun>;
  bulk(id: string): Promise<BulkRun>;
  queues(): Promise<AnswerOf<"listQueues">>;
  queue(name: string): Promise<AnswerOf<"getQueue">>;
  setQueue(name: string, patch: In<typeof queuePatch>): Promise<AnswerOf<"setQueue">>;
  next(queue: string, limit?: number): Promise<AnswerOf<"nextTasks">>;
  slots(): Promise<AnswerOf<"listSlots">>;
  types(): Promise<AnswerOf<"listTypes">>;
  setType(type: string, patch: { readonly paused: boolean; readonly cause?: string }): Promise<AnswerOf<"setType">>;
  nodes(): Promise<AnswerOf<"listNodes">>;
  stats(): Promise<AnswerOf<"getStats">>;
  events(options?: EventsOptions): AsyncGenerator<StreamedEvent, void, undefined>;
  metrics(): Promise<string>;
  live(): Promise<AnswerOf<"livez">>;
  /** Rejects with `not_ready` while the node does not dispatch. */
  ready(): Promise<AnswerOf<"readyz">>;
  openApi(): Promise<Readonly<Record<string, unknown>>>;
}

export function createClient(options: ClientOptions): Client {
  const http = new Http(options);
  const get = <Answer>(path: string) => http.json<Answer>({ method: "GET", path });
  const post = <Answer>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    http.json<Answer>({ method: "POST", path, body, headers });
  const patch = <Answer>(path: string, body: unknown) => http.json<Answer>({ method: "PATCH", path, body });
  return {
    url: http.base,
    submit: (item, { idempotencyKey } = {}) =>
      post("/v1/tasks", item, idempotencyKey === undefined ? {} : { "idempotency-key": quoted(idempotencyKey) }),
    submitMany: (tasks) => post("/v1/tasks/batch", { tasks }),
    find: (query = {}) => get(`/v1/tasks${writeQuery(query)}`),
    get: (id) => get(taskPath(id)),
    history: (id) => get(`${taskPath(id)}/history`),
    why: (id) => get(`${taskPath(id)}/why`),
    edit: (id, changes) => patch(taskPath(id), changes),
    cancel: (id, body = {}) => post(`${taskPath(id)}/cancel`, body),
    rerun: (id, body = {}) => post(`${taskPath(id)}/rerun`, body),
    remove: (id) => http.json<void>({ method: "DELETE", path: taskPath(id) }),
    countBulk: (request) => post("/v1/bulk", { ...request, dryRun: true }),
    startBulk: (request) => post("/v1/bulk", request),
    bulk: (id) => get(`/v1/bulk/${encodeURIComponent(id)}`),
    queues: () => get("/v1/queues"),
    queue: (name) => get(queuePath(name)),
    setQueue: (name, changes) => patch(queuePath(name), changes),
    next: (name, limit) => get(`${queuePath(name)}/next${writeQuery({ limit })}`),
    slots: () => get("/v1/slots"),
    types: () => get("/v1/types"),
    setType: (type, changes) => patch(`/v1/types/${encodeURIComponent(type)}`, changes),
    nodes: () => get("/v1/nodes"),
    stats: () => get("/v1/stats"),
    events: (eventsOptions = {}) => followEvents(http, eventsOptions),
    metrics: () => http.text({ method: "GET", path: "/metrics" }),
    live: () => get("/livez"),
    ready: () => get("/readyz"),
    openApi: () => get("/openapi.json"),
  };
}

const taskPath = (id: string): string => `/v1/tasks/${encodeURIComponent(id)}`;
const queuePath = (name: string): string => `/v1/queues/${encodeURIComponent(name)}`;
/** A structured-field string. */
const quoted = (key: string): string => `"${key.replace(/["\\]/g, "\\$&")}"`;
