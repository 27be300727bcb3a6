export { check } from "./check.ts";
export { ApiError } from "./client/api-error.ts";
export {
  type Bulk,
  type BulkCount,
  type BulkRun,
  type Client,
  createClient,
  type EventsOptions,
  type Find,
  type Queue,
  type StreamedEvent,
  type Submit,
  type SubmitCallOptions,
  type Task,
  type TaskEvent,
  type TaskTypeInfo,
} from "./client/client.ts";
export type { ClientOptions } from "./client/http.ts";
export {
  type JsonSchema,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  openApiDocument,
} from "./openapi.ts";
export { type DeepReadonly, type Operation, pathParameters, type Reply, ROLES, type Role } from "./operation.ts";
export {
  type AnswerOf,
  type BodyOf,
  type OperationId,
  type Operations,
  operations,
  type QueryOf,
} from "./operations.ts";
export {
  isErrorCode,
  makeProblem,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  type ProblemFacts,
  problemTitle,
  problemType,
} from "./problem.ts";
export { type RawQuery, readQuery, writeQuery } from "./query.ts";
export { bulkCount, bulkRequest, bulkRun } from "./schemas/bulk.ts";
export { MAX_PAGE, MAX_RECENT, taskFilter } from "./schemas/find.ts";
export { eventGap, taskEvent } from "./schemas/node.ts";
export { problem } from "./schemas/problem.ts";
export { text } from "./schemas/scalars.ts";
export { MAX_BATCH, submitRequest, task } from "./schemas/task.ts";
