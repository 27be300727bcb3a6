import { type Operation, openApiDocument, operations } from "@giveway/api";
import { describe, expect, it } from "vitest";
import { operationAt } from "./support/contract.ts";
import { send, serve } from "./support/serve.ts";

/** The router's own word on what is registered: a tree, one segment a line, four characters of indent a level. */
function routesOf(tree: string): string[] {
  const routes: string[] = [];
  const parents: string[] = [];
  for (const line of tree.split("\n")) {
    const [, indent, segment, methods] = /^((?:│ {3}| {4})*)[├└]── (\S+)(?: \(([^)]+)\))?$/.exec(line) ?? [];
    if (indent === undefined || segment === undefined) continue;
    const depth = indent.length / 4;
    parents.length = depth;
    const path = parents.join("") + segment;
    parents.push(path.slice(parents.join("").length));
    for (const method of methods?.split(", ") ?? []) routes.push(`${method} ${path}`);
  }
  return routes;
}

describe("the OpenAPI document", () => {
  it("lists exactly the routes that are there", async () => {
    const server = serve();
    await server.app.ready();
    const registered = routesOf(server.app.printRoutes({ commonPrefix: false })).filter(
      (route) => !route.startsWith("HEAD "),
    );
    const listed = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
    );
    expect(registered.toSorted()).toEqual(listed.toSorted());
    expect(registered).toHaveLength(Object.keys(operations).length);
  });

  it("is served as it is", async () => {
    const answer = await send(serve(), "GET", "/openapi.json");
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it("names every error that its calls answer here", async () => {
    const document = openApiDocument();
    for (const [method, url, body] of [
      ["POST", "/v1/tasks", { type: 1 }],
      ["GET", "/v1/tasks?limit=0", undefined],
      ["GET", "/v1/tasks/nope", undefined],
      ["PATCH", "/v1/types/nope", { paused: true }],
      ["GET", "/v1/bulk/nope", undefined],
      ["POST", "/v1/bulk", { action: "redrive" }],
      ["POST", "/v1/tasks", "{"],
      ["GET", "/assets/nope", undefined],
    ] as const) {
      const answer = await send(serve(), method, url, body);
      const { operation } = operationAt(method, url) ?? {};
      const listed = document.paths[operation?.path ?? ""]?.[method.toLowerCase()]?.responses[String(answer.status)];
      expect(listed?.description, `${method} ${url}`).toContain(`\`${String(answer.body["code"])}\``);
    }
  });

  it("is matched by what every call without a body answers", async () => {
    const server = serve();
    for (const { method, path, query } of Object.values<Operation>(operations)) {
      if (method !== "GET" || path === operations.streamEvents.path) continue;
      const url = path.replace("{file}", "status.js").replace(/\{\w+\}/, "t1");
      // `send` holds each answer against its schema.
      const answer = await send(server, "GET", query === undefined ? url : `${url}?limit=2`);
      expect(answer.status).toBe(path === operations.getBulk.path ? 404 : 200);
      const head = await send(server, "HEAD", url);
      expect(head).toMatchObject({ status: answer.status, text: "" });
    }
  });
});
