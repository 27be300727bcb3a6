import { type Operation, openApiDocument, operations, PROBLEM_MEDIA_TYPE, problem } from "@giveway/api";
import { expect } from "vitest";
import type { z } from "zod";

const document = openApiDocument();

export interface SeenAnswer {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

/** The operation that a request reached, by its path. */
export function operationAt(
  method: string,
  url: string,
): { readonly id: string; readonly operation: Operation } | null {
  const path = url.split("?", 1)[0]!;
  const asked = method === "HEAD" ? "GET" : method;
  const fitting = Object.entries<Operation>(operations)
    .filter(([, { path: pattern, method: own }]) => own === asked && patternOf(pattern).test(path))
    // Paths without parameters win over those with.
    .toSorted(([, a], [, b]) => a.path.split("{").length - b.path.split("{").length);
  const [first] = fitting;
  return first === undefined ? null : { id: first[0], operation: first[1] };
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/** Every answer is one that the document lists, with the body that its schema describes and nothing else. */
export function expectContract({ method, url, status, mediaType, text }: SeenAnswer): void {
  const found = operationAt(method, url);
  const body = mediaType.includes("json") && text !== "" ? JSON.parse(text) : undefined;
  if (status >= 400) {
    expect(mediaType).toBe(PROBLEM_MEDIA_TYPE);
    if (body !== undefined) expectExactly(problem, body);
  }
  if (found === null) return;
  const listed = document.paths[found.operation.path]?.[found.operation.method.toLowerCase()]?.responses ?? {};
  // A problem of another call that a fake scheduler was told to throw, or of the path itself, belongs to no call.
  if (status >= 400) return;
  expect(Object.keys(listed), `${method} ${url}`).toContain(String(status));
  const reply = found.operation.replies[status];
  if (reply?.schema !== undefined && method !== "HEAD") expectExactly(reply.schema, body);
  if (reply?.mediaType !== undefined && found.id !== "getAsset") expect(mediaType).toContain(reply.mediaType);
}

/** A schema drops what it does not know: then the value differs. */
function expectExactly(schema: z.ZodType, body: unknown): void {
  const result = schema.safeParse(body);
  expect(result.error?.issues ?? []).toEqual([]);
  expect(result.data).toEqual(body);
}
