import { createServer as createHttpServer } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ServerOptions } from "../src/index.ts";
import { fakeScheduler } from "./support/fake-scheduler.ts";
import { jsonOf, Raw, statusOf } from "./support/raw.ts";
import { serve } from "./support/serve.ts";

const LIMIT = 4096;

async function listening(options: Partial<ServerOptions> = {}) {
  const scheduler = fakeScheduler();
  const server = serve({ scheduler, bodyLimit: LIMIT, ...options });
  const { port } = await server.listen();
  return { server, port, submits: () => scheduler.calls.filter(({ method }) => method.startsWith("submit")).length };
}

const head = (lines: Record<string, string | number>) =>
  `POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
/** A good body of exactly so many bytes. */
const bodyOf = (bytes: number) => {
  const frame = JSON.stringify({ type: "echo", payload: "" }).length;
  return JSON.stringify({ type: "echo", payload: "x".repeat(bytes - frame) });
};
const good = bodyOf(100);

describe("bodies at the limit (V-47)", () => {
  it.each<[string, string, number, number, string | null]>([
    ["at the limit", head({ "Content-Length": LIMIT }) + bodyOf(LIMIT), 201, 1, null],
    ["one byte above", head({ "Content-Length": LIMIT + 1 }) + bodyOf(LIMIT + 1), 413, 0, "body_too_large"],
    ["far above", head({ "Content-Length": 40 * LIMIT }) + bodyOf(40 * LIMIT), 413, 0, "body_too_large"],
    ["chunked, good", `${head({ "Transfer-Encoding": "chunked" })}${chunk(good)}0\r\n\r\n`, 201, 1, null],
    [
      "chunked, at the limit in two chunks",
      `${head({ "Transfer-Encoding": "chunked" })}${chunk(bodyOf(LIMIT).slice(0, 1000))}${chunk(bodyOf(LIMIT).slice(1000))}0\r\n\r\n`,
      201,
      1,
      null,
    ],
    [
      "chunked, one byte above",
      `${head({ "Transfer-Encoding": "chunked" })}${chunk(bodyOf(LIMIT + 1))}0\r\n\r\n`,
      413,
      0,
      "body_too_large",
    ],
    [
      "chunked, far above in many chunks",
      `${head({ "Transfer-Encoding": "chunked" })}${chunk("x".repeat(1000)).repeat(100)}0\r\n\r\n`,
      413,
      0,
      "body_too_large",
    ],
    ["a length too short for its JSON", head({ "Content-Length": 50 }) + good, 400, 0, "invalid_json"],
    ["no body at all", head({ "Content-Length": 0 }), 400, 0, "invalid_json"],
    ["no length", head({}), 400, 0, "invalid_json"],
    ["a length that is no number", head({ "Content-Length": "ten" }) + good, 400, 0, "bad_request"],
    ["a negative length", head({ "Content-Length": -1 }) + good, 400, 0, "bad_request"],
    [
      "length and chunks at once",
      `${head({ "Content-Length": 100, "Transfer-Encoding": "chunked" })}${chunk(good)}0\r\n\r\n`,
      400,
      0,
      "bad_request",
    ],
    [
      "a chunk size that is none",
      `${head({ "Transfer-Encoding": "chunked" })}zz\r\n${good}\r\n0\r\n\r\n`,
      400,
      0,
      "bad_request",
    ],
    [
      "a chunk longer than it says",
      `${head({ "Transfer-Encoding": "chunked" })}5\r\n${good}\r\n0\r\n\r\n`,
      400,
      0,
      "bad_request",
    ],
    ["10 000 levels", head({ "Content-Length": 4000 }) + "[".repeat(4000), 400, 0, "invalid_json"],
    ["a line that is no request", "HELLO\r\n\r\n", 400, 0, "bad_request"],
    ["a method nobody knows", "BREW /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, 0, "bad_request"],
    ["no host", "GET /v1/tasks HTTP/1.1\r\n\r\n", 400, 0, null],
    [
      "huge headers",
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-Big: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      0,
      "headers_too_large",
    ],
  ])("%s", async (_, bytes, status, stored, code) => {
    const { port, submits } = await listening();
    const raw = await Raw.open(port);
    await raw.write(bytes);
    const answer = await raw.answer();
    expect(statusOf(answer)).toBe(status);
    if (code !== null) {
      expect(answer).toMatch(/^content-type: application\/problem\+json\r$/im);
      expect(jsonOf(answer)).toMatchObject({ code, status });
    }
    if (status === 413) expect(jsonOf(answer)["detail"]).toBe(`the body is larger than the limit of ${LIMIT} bytes`);
    expect(submits()).toBe(stored);
    raw.socket.destroy();
  });

  it.each([
    ["with a length", `${head({ "Content-Length": 100 })}${good.slice(0, 60)}`],
    ["with a length, whole JSON so far", `${head({ "Content-Length": 200 })}${good}`],
    ["chunked, within a chunk", `${head({ "Transfer-Encoding": "chunked" })}64\r\n${good.slice(0, 60)}`],
    ["chunked, after a whole chunk of whole JSON", `${head({ "Transfer-Encoding": "chunked" })}${chunk(good)}`],
  ])("an upload that breaks off %s is never stored", async (_, bytes) => {
    const { server, port, submits } = await listening();
    const arrived = new Promise<void>((resolve) => server.app.server.once("request", () => resolve()));
    const raw = await Raw.open(port);
    await raw.write(bytes);
    await arrived;
    raw.socket.end();
    await raw.closed();
    expect(raw.text === "" || statusOf(raw.text) === 400).toBe(true);
    await server.close();
    expect(submits()).toBe(0);
  });

  it("a slow upload is ended, told why, and never stored", async () => {
    const { port, submits } = await listening({ timeouts: { request: 60 } });
    const raw = await Raw.open(port);
    await raw.write(`${head({ "Content-Length": 100 })}${good.slice(0, 60)}`);
    const answer = await raw.closed();
    expect(statusOf(answer)).toBe(408);
    expect(jsonOf(answer)).toMatchObject({ code: "request_timeout", status: 408 });
    expect(submits()).toBe(0);
  });

  it("a bomb is refused as it is, not unpacked", async () => {
    const { port, submits } = await listening();
    const bomb = gzipSync(Buffer.alloc(50_000_000, "["));
    const raw = await Raw.open(port);
    await raw.write(
      Buffer.concat([Buffer.from(head({ "Content-Length": bomb.length, "Content-Encoding": "gzip" })), bomb]),
    );
    expect(jsonOf(await raw.answer())).toMatchObject({ status: 415, code: "unsupported_media_type" });
    expect(submits()).toBe(0);
    raw.socket.destroy();
  });

  it("goes on with the next request after one that was too large", async () => {
    const { port, submits } = await listening();
    const raw = await Raw.open(port);
    await raw.write(head({ "Content-Length": 30 * LIMIT }) + bodyOf(30 * LIMIT));
    await raw.write(head({ "Content-Length": 100 }) + good);
    const text = await raw.until((all) => all.split("HTTP/1.1 ").length === 3 && all.endsWith("}"));
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 201"]);
    expect(submits()).toBe(1);
    raw.socket.destroy();
  });

  it("answers a good request before the nonsense that follows it", async () => {
    const { port, submits } = await listening();
    const raw = await Raw.open(port);
    await raw.write(`${head({ "Content-Length": 100 })}${good}rubbish\r\n\r\n`);
    const text = await raw.closed();
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 201", "HTTP/1.1 400"]);
    expect(submits()).toBe(1);
  });

  it("an endless upload ends without the server keeping it", async () => {
    const { port, submits } = await listening();
    const raw = await Raw.open(port);
    await raw.write(head({ "Transfer-Encoding": "chunked" }));
    const piece = Buffer.from(chunk("x".repeat(1_000_000)));
    let sent = 0;
    for (; sent < 200 && !raw.socket.destroyed; sent += 1) await raw.write(piece);
    const text = await raw.closed();
    expect(statusOf(text)).toBe(413);
    expect(sent).toBeLessThan(200);
    expect(submits()).toBe(0);
  });
});

describe("an Idempotency-Key sent twice", () => {
  it("is refused: joined, the two would pass for one", async () => {
    const { port, submits } = await listening();
    const raw = await Raw.open(port);
    await raw.write(head({ "Content-Length": 100, "Idempotency-Key": "a\r\nidempotency-key: b" }) + good);
    expect(jsonOf(await raw.answer())).toMatchObject({
      code: "invalid_id",
      detail: "Idempotency-Key: stands there twice",
    });
    expect(submits()).toBe(0);
    raw.socket.destroy();
  });
});

describe("listening", () => {
  it("says in one line that the port is taken", async () => {
    const other = createHttpServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    await expect(serve({ port }).listen()).rejects.toMatchObject({
      code: "invalid_config",
      message: `can't listen on 127.0.0.1:${port}: the port is taken; choose another one, or stop what holds it`,
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it("answers with its own address", async () => {
    const { url, port, host } = await serve().listen();
    expect({ url, host }).toEqual({ url: `http://127.0.0.1:${port}`, host: "127.0.0.1" });
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });
});
