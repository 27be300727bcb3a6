import { afterEach } from "vitest";
import { createServer, type Server, type ServerOptions } from "../../src/index.ts";
import { expectContract } from "./contract.ts";
import { fakeScheduler } from "./fake-scheduler.ts";

const open: Server[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A server that is closed after the test. */
export function serve(options: Partial<ServerOptions> = {}): Server {
  const server = createServer({ scheduler: fakeScheduler(), port: 0, ...options });
  open.push(server);
  return server;
}

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // Answers of any shape; the contract test holds them against their schemas.
  readonly body: Record<string, unknown>;
}

type Method = "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS";

/** Sends one request past the network. Whatever comes back is held against the API's own description. */
export async function send(
  server: Server,
  method: Method,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const isText = typeof body === "string" || Buffer.isBuffer(body);
  const response = await server.app.inject({
    method,
    url,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
  });
  const mediaType = String(response.headers["content-type"] ?? "");
  const isJson = mediaType.includes("json");
  expectContract({ method, url, status: response.statusCode, mediaType, text: response.body });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: isJson && response.body !== "" ? JSON.parse(response.body) : {},
  };
}
