import type { AnswerOf, BodyOf, OperationId, Operations, QueryOf } from "@giveway/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../auth/authenticate.ts";

/** A checked request. */
export interface Call<Id extends OperationId> {
  readonly params: Readonly<Record<ParameterOf<Operations[Id]["path"]>, string>>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** A JSON answer. */
export interface JsonAnswer<Body> {
  /** Default 200. */
  readonly status?: number;
  readonly body?: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Any other answer; null where the handler has answered itself. */
export type TextAnswer = {
  readonly mediaType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
} | null;

export type TextOperation = "streamEvents" | "getMetrics" | "getOpenApi" | "getDocs" | "getPage" | "getAsset";
export type JsonOperation = Exclude<OperationId, TextOperation>;

/** One handler per operation: the compiler holds their answers against the schemas. Null: the handler has answered itself. */
export type Handlers = {
  readonly [Id in JsonOperation]: (
    call: Call<Id>,
  ) => JsonAnswer<AnswerOf<Id>> | null | Promise<JsonAnswer<AnswerOf<Id>> | null>;
} & {
  readonly [Id in TextOperation]: (call: Call<Id>) => TextAnswer | Promise<TextAnswer>;
};

/** The handlers of some operations, from one file. */
export type Part<Id extends OperationId> = Pick<Handlers, Id>;
