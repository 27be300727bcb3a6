import type { ErrorCode } from "@giveway/kernel";
import { z } from "zod";
import { text } from "./schemas/scalars.ts";

export const ROLES = ["viewer", "operator", "admin"] as const;
/** Each role may do what the ones before it may: viewers read, operators act on tasks, admins change queues, types and many tasks at once. */
export type Role = (typeof ROLES)[number];

/** One answer that an operation gives when it went well. */
export interface Reply {
  readonly description: string;
  /** The JSON body; absent where there is none, or where it is not JSON. */
  readonly schema?: z.ZodType;
  /** Where it is not `application/json`. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One call of the HTTP face as data: the server registers it, the OpenAPI document lists it, the client types itself by it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `{name}` for parameters: always URL-encoded text, any character. */
  readonly path: string;
  readonly tag: "tasks" | "bulk" | "queues" | "types" | "node" | "health" | "documents";
  readonly summary: string;
  readonly description?: string;
  /** Who may call it where tokens are set; `open`: everybody. */
  readonly access: "open" | Role;
  readonly query?: z.ZodObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  /** The body may be left out. */
  readonly bodyOptional?: boolean;
  readonly replies: Readonly<Record<number, Reply>>;
  /** Its own errors, beside those that every call can give. */
  readonly problems: readonly ErrorCode[];
}

/** Answers as the server gives them: a readonly view on what the schema infers. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** The names of a path's parameters, in order. */
export function parameterNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

/** The schema of a path's parameters once decoded. An id is checked where ids are known. */
export function pathParameters(path: string): z.ZodType<Readonly<Record<string, string>>> {
  const isFree = (name: string) => name === "id";
  return z.strictObject(
    Object.fromEntries(parameterNames(path).map((name) => [name, isFree(name) ? z.string() : text()])),
  );
}
