import { describe, expect, it } from "vitest";
import { type Operation, openApiDocument, operations } from "../src/index.ts";

const document = openApiDocument();

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => (key === "$ref" ? [String(part)] : refsIn(part)));
}

describe("the OpenAPI document", () => {
  it("lists every operation once, under its own method and path", () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    const known = Object.entries<Operation>(operations).map(([id, { method, path }]) => `${method} ${path} ${id}`);
    expect(listed.toSorted()).toEqual(known.toSorted());
  });

  it("refers only to components that it has, and has none that nobody refers to", () => {
    const refs = new Set(refsIn(document));
    const components = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...refs].filter((ref) => !components.includes(ref))).toEqual([]);
    const unused = components.filter((ref) => !refs.has(ref));
    expect(unused.toSorted()).toEqual(["#/components/schemas/EventGap", "#/components/schemas/TaskEvent"]);
  });

  it("refuses unknown fields of requests and leaves answers open to additions", () => {
    expect(document.components.schemas["SubmitRequest"]).toMatchObject({
      type: "object",
      required: ["type"],
      additionalProperties: false,
    });
    expect(document.components.schemas["Task"]).not.toHaveProperty("additionalProperties");
    expect(document.components.schemas["BatchRequest"]).toMatchObject({
      anyOf: [
        { properties: { tasks: { items: { $ref: "#/components/schemas/SubmitRequest" } } } },
        { properties: { items: { items: { $ref: "#/components/schemas/SubmitRequest" } } } },
        { items: { $ref: "#/components/schemas/SubmitRequest" } },
      ],
    });
  });

  it("states for every call the parameters of its path, who may call it, and how it fails", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const operation of Object.values(methods)) {
        const named = (operation.parameters ?? []).filter((one) => one.in === "path").map((one) => `{${one.name}}`);
        expect(path.match(/\{\w+\}/g) ?? []).toEqual(named);
        const isOpen = operation["x-role"] === "open";
        expect(operation.security).toEqual(isOpen ? [] : [{ bearer: [] }]);
        expect(Object.hasOwn(operation.responses, "401")).toBe(!isOpen);
        expect(operation.responses["500"]?.content).toHaveProperty("application/problem+json");
        expect(Object.hasOwn(operation.responses, "413")).toBe(operation.requestBody !== undefined);
      }
    }
  });

  it("describes the filters as lists and their limits", () => {
    const parameters = document.paths["/v1/tasks"]?.["get"]?.parameters ?? [];
    expect(parameters.map(({ name }) => name)).toEqual([
      "state",
      "type",
      "queue",
      "weight",
      "tag",
      "text",
      "createdFrom",
      "createdTo",
      "cursor",
      "limit",
    ]);
    expect(parameters.find(({ name }) => name === "limit")?.schema).toEqual({
      type: "integer",
      minimum: 1,
      maximum: 1000,
    });
    expect(parameters.find(({ name }) => name === "weight")?.schema).toEqual({
      type: "array",
      maxItems: 100,
      items: { $ref: "#/components/schemas/WeightInput" },
    });
  });
});
