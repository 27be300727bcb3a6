import { ERROR_CODES, type ErrorCode } from "@giveway/kernel";
import { z } from "zod";
import { type Operation, parameterNames, type Reply } from "./operation.ts";
import { operations } from "./operations.ts";
import { PROBLEM_MEDIA_TYPE } from "./problem.ts";
import { eventGap, taskEvent } from "./schemas/node.ts";
import { problem } from "./schemas/problem.ts";

/** The parts of an OpenAPI 3.1 document that ours uses. Schemas are JSON Schema 2020-12. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}
export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  /** Who may call it where tokens are set. */
  readonly "x-role": string;
}
export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}
export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}
type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;
export type JsonSchema = Readonly<Record<string, unknown>>;

const TAGS = {
  tasks: "Submit, find, change, explain.",
  bulk: "Many tasks at once.",
  queues: "Bulkheads with slots, lanes and share.",
  types: "Named handlers.",
  node: "Nodes, figures, events.",
  health: "For probes.",
  documents: "This description, and pages for people.",
} as const;

/** Errors that any call can give, by who may call it. */
const COMMON: readonly ErrorCode[] = ["bad_request", "internal", "ledger_unavailable", "shutting_down"];
const GUARDED: readonly ErrorCode[] = ["unauthorized", "forbidden"];
const WITH_BODY: readonly ErrorCode[] = ["invalid_json", "body_too_large", "unsupported_media_type", "request_timeout"];

/** The OpenAPI 3.1 document, made from the same schemas that the server checks with. A new object at each call. */
export function openApiDocument(): OpenApiDocument {
  const components = new Components();
  for (const schema of [taskEvent, eventGap]) components.add(schema, "output");
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const described = { [operation.method.toLowerCase()]: describe(id, operation, components) };
    paths[operation.path] = { ...paths[operation.path], ...described };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Giveway",
      version: "1",
      description:
        "A durable task scheduler in which ordinary work gives way to urgent work, and is never starved by it.",
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "A token of the server's list. Without a list the server answers this machine only and asks for none.",
        },
      },
    },
  };
}

function describe(id: string, operation: Operation, components: Components): OpenApiOperation {
  const parameters = parametersOf(operation, components);
  const { body } = operation;
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: operation.access === "open" ? [] : [{ bearer: [] }],
    "x-role": operation.access,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: operation.bodyOptional !== true,
            content: { "application/json": { schema: components.add(body, "input") } },
          },
        }),
    responses: responsesOf(operation, components),
  };
}

function parametersOf(operation: Operation, components: Components): OpenApiParameter[] {
  const inPath = parameterNames(operation.path).map((name) => ({
    name,
    in: "path" as const,
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries<z.ZodType>(operation.query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = components.add(schema, "input");
    return {
      name,
      in: "query" as const,
      required: false,
      ...(typeof description === "string" ? { description } : {}),
      schema: rest,
    };
  });
  const inHeader = Object.entries(operation.headers ?? {}).map(([name, description]) => ({
    name,
    in: "header" as const,
    required: false,
    description,
    schema: { type: "string" },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function responsesOf(operation: Operation, components: Components): Record<string, OpenApiResponse> {
  const responses: Record<string, OpenApiResponse> = {};
  for (const [status, reply] of Object.entries(operation.replies)) responses[status] = replyOf(reply, components);
  const codes = [
    ...operation.problems,
    ...COMMON,
    ...(operation.access === "open" ? [] : GUARDED),
    ...(operation.body === undefined ? [] : WITH_BODY),
  ];
  const schema = components.add(problem, "output");
  for (const status of new Set(codes.map((code) => ERROR_CODES[code].status))) {
    const own = codes.filter((code) => ERROR_CODES[code].status === status);
    responses[status] = {
      description: [...new Set(own)].map((code) => `\`${code}\``).join(", "),
      content: { [PROBLEM_MEDIA_TYPE]: { schema } },
    };
  }
  return responses;
}

function replyOf(reply: Reply, components: Components): OpenApiResponse {
  const mediaType = reply.mediaType ?? (reply.schema === undefined ? null : "application/json");
  return {
    description: reply.description,
    ...(reply.headers === undefined
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(reply.headers).map(([name, description]) => [
              name,
              { description, schema: { type: "string" } },
            ]),
          ),
        }),
    ...(mediaType === null
      ? {}
      : {
          content: {
            [mediaType]: reply.schema === undefined ? {} : { schema: components.add(reply.schema, "output") },
          },
        }),
  };
}

/** Collects the named schemas: each is stated once and referred to from everywhere. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** The schema as JSON Schema, its named parts moved into the components. */
  add(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const json = z.toJSONSchema(schema, {
      io,
      target: "draft-2020-12",
      override: ({ jsonSchema }) => tidy(jsonSchema, io),
    });
    const { $schema: _, $defs, ...root } = renameRefs(json) as JsonSchema & { $schema?: unknown; $defs?: unknown };
    for (const [name, part] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
      const known = this.schemas[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) {
        throw new Error(`two different schemas are both called ${name}`);
      }
      this.schemas[name] = part;
    }
    return root;
  }
}

/** Leaves out what only bloats: bounds that every JavaScript number has, patterns beside a format; and keeps answers open to additions. */
function tidy(json: Record<string, unknown>, io: "input" | "output"): void {
  if (json["maximum"] === Number.MAX_SAFE_INTEGER) delete json["maximum"];
  if (json["minimum"] === Number.MIN_SAFE_INTEGER) delete json["minimum"];
  if (json["format"] === "date-time") delete json["pattern"];
  if (io === "output" && json["additionalProperties"] === false) delete json["additionalProperties"];
}

function renameRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameRefs);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string" ? part.replace("#/$defs/", "#/components/schemas/") : renameRefs(part),
    ]),
  );
}
