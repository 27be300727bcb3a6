import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { GivewayError } from "@giveway/kernel";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError, createClient, makeProblem } from "../src/index.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const servers: Server[] = [];
async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => answer(request, response, body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, {
    "content-type": status < 400 ? "application/json" : "application/problem+json",
    ...headers,
  });
  response.end(JSON.stringify(body));
};

async function errorOf(work: Promise<unknown>): Promise<GivewayError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GivewayError)) throw new Error(`no coded error but ${String(error)}`);
  return error;
}

describe("the client", () => {
  it("sends method, path, body, token and key as the interface says", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response, body) => {
      const { authorization, "content-type": type, "idempotency-key": key } = request.headers;
      seen.push([request.method, request.url, body, authorization, type, key]);
      if (request.method === "DELETE") response.writeHead(204).end();
      else send(response, 200, {});
    });
    const client = createClient({ url: `${url}/sub/`, token: "t0ken" });
    await client.submit({ type: "echo", payload: 1 }, { idempotencyKey: 'a"b\\c' });
    await client.find({ state: ["dead", "waiting"], tag: "a,b", limit: 5 });
    await client.why("a/b c?#%2F");
    await client.remove("x");
    await client.edit("x", { weight: 9 });
    await client.setQueue("orders", { paused: null });
    await client.next("orders", 3);
    const auth = "Bearer t0ken";
    const json = "application/json";
    expect(seen).toEqual([
      ["POST", "/sub/v1/tasks", '{"type":"echo","payload":1}', auth, json, '"a\\"b\\\\c"'],
      ["GET", "/sub/v1/tasks?state=dead&state=waiting&tag=a%5C%2Cb&limit=5", "", auth, undefined, undefined],
      ["GET", "/sub/v1/tasks/a%2Fb%20c%3F%23%252F/why", "", auth, undefined, undefined],
      ["DELETE", "/sub/v1/tasks/x", "", auth, undefined, undefined],
      ["PATCH", "/sub/v1/tasks/x", '{"weight":9}', auth, json, undefined],
      ["PATCH", "/sub/v1/queues/orders", '{"paused":null}', auth, json, undefined],
      ["GET", "/sub/v1/queues/orders/next?limit=3", "", auth, undefined, undefined],
    ]);
  });

  it("turns a problem into a coded error with status, detail, field and pause", async () => {
    const body = makeProblem("invalid_weight", "weight: expected 1 to 10; got 11", { field: "weight" });
    const url = await serve((_, response) => send(response, 400, body, { "retry-after": "2" }));
    const error = await errorOf(createClient({ url }).get("x"));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: "ApiError",
      message: "weight: expected 1 to 10; got 11",
      detail: "weight: expected 1 to 10; got 11",
      code: "invalid_weight",
      status: 400,
      field: "weight",
      retryable: false,
      retryAfter: 2000,
    });
  });

  it("keeps a code that it does not know", async () => {
    const url = await serve((_, response) => send(response, 418, { code: "teapot", detail: "short and stout" }));
    const error = await errorOf(createClient({ url }).get("x"));
    expect(error).toMatchObject({
      code: "unexpected_answer",
      status: 418,
      message: "short and stout",
      problem: { code: "teapot" },
    });
  });

  it.each([200, 500])("says that a page with status %i is no answer of ours", async (status) => {
    const url = await serve((_, response) =>
      response.writeHead(status, { "content-type": "text/html" }).end("<h1>hi</h1>"),
    );
    const error = await errorOf(createClient({ url }).queues());
    expect(error).toMatchObject({
      code: "unexpected_answer",
      message: `${url} answered ${status} with text/html, which is no answer of Giveway; is the address right?`,
    });
  });

  it("says in one line that nobody listens there", async () => {
    const url = await serve(() => undefined);
    await new Promise((resolve) => servers.pop()!.close(resolve));
    const error = await errorOf(createClient({ url }).stats());
    expect(error).toMatchObject({
      code: "server_unreachable",
      retryable: true,
      message: `can't reach ${url}: connection refused (ECONNREFUSED); is the server running there?`,
    });
  });

  it("says in one line that the connection broke off", async () => {
    const url = await serve((request) => request.socket.destroy());
    const error = await errorOf(createClient({ url }).stats());
    expect(error.code).toBe("server_unreachable");
    expect(error.message).toMatch(
      /^can't reach http:\/\/127\.0\.0\.1:\d+: the connection broke off \(\w+\); is the server/,
    );
  });

  it("gives up waiting for an answer", async () => {
    const url = await serve(() => undefined);
    const error = await errorOf(createClient({ url, timeout: 20 }).stats());
    expect(error).toMatchObject({ code: "request_timeout", message: `${url} did not answer within 20 ms` });
  });

  it.each(["127.0.0.1:7700", "ftp://x", ""])("refuses %j as an address", (url) => {
    expect(() => createClient({ url })).toThrow(/^url: expected /);
  });

  it("follows events, says what was lost, and goes on where the stream broke", async () => {
    const event = (n: number) => ({ n, kind: "started" });
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(`${request.url} ${String(request.headers["last-event-id"])}`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (asked.length === 1) {
        response.write(
          `retry: 1\n\nid: n.1\ndata: ${JSON.stringify(event(1))}\n\n: beat\n\nid: n.2\r\ndata: {"n":2,\r\n`,
        );
        response.end(`data: "kind":"started"}\r\n\r\nid: n.3\ndata: {"cut`);
      } else {
        response.write(`event: gap\ndata: {"missed":4}\n\n`);
        response.write(`id: n.7\ndata: ${JSON.stringify(event(7))}\n\n`);
      }
    });
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const one of createClient({ url }).events({ recent: 5, signal: stop.signal })) {
      seen.push(one.kind === "event" ? [one.id, one.event.n] : one);
      if (seen.length === 6) stop.abort();
    }
    const open = { kind: "open" };
    expect(seen).toEqual([open, ["n.1", 1], ["n.2", 2], open, { kind: "gap", missed: 4 }, ["n.7", 7]]);
    expect(asked).toEqual(["/v1/events?recent=5 undefined", "/v1/events n.2"]);
  });

  it("fails at once where the first connection to the events is refused", async () => {
    const url = await serve((_, response) => send(response, 401, makeProblem("unauthorized", "no token")));
    const error = await errorOf(createClient({ url }).events().next());
    expect(error).toMatchObject({ code: "unauthorized", status: 401 });
  });
});
