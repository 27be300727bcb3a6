import { PROBLEM_MEDIA_TYPE } from "@giveway/api";
import type { Scheduler } from "@giveway/engine";
import { ERROR_CODES, type ErrorCode } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { coded, fakeScheduler, rejecting } from "./support/fake-scheduler.ts";
import { type Sent, send, serve } from "./support/serve.ts";

const failing = (error: unknown, method: keyof Scheduler = "stats") =>
  serve({ scheduler: fakeScheduler({ [method]: rejecting(error) }) });

function expectProblem(answer: Sent, code: ErrorCode, status: number = ERROR_CODES[code].status): void {
  expect(answer.headers["content-type"]).toBe(PROBLEM_MEDIA_TYPE);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ code, status, type: `/docs#error-${code}` });
  expect(answer.body["title"]).toMatch(/^[A-Z][a-z ]+$/);
  expect(answer.body["detail"]).toMatch(/^[^\n]+$/);
}

describe("problems", () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("%s keeps its code, status and words", async (code) => {
    const answer = await send(failing(coded(code, "what happened", { field: "f", subject: "s" })), "GET", "/v1/stats");
    expectProblem(answer, code);
    const { retryable } = ERROR_CODES[code];
    expect(answer.body).toMatchObject({ detail: "what happened", field: "f", subject: "s", retryable });
  });

  it.each<[ErrorCode, number | undefined, string | undefined]>([
    ["ledger_busy", undefined, "1"],
    ["ledger_full", undefined, "5"],
    ["too_many_requests", undefined, "1"],
    ["ledger_busy", 1, "1"],
    ["ledger_busy", 2001, "3"],
    ["wrong_state", undefined, undefined],
    ["wrong_state", 4000, "4"],
  ])("%s with a pause of %j ms says Retry-After: %j", async (code, retryAfter, header) => {
    const answer = await send(failing(coded(code, "x", { retryAfter })), "GET", "/v1/stats");
    expect(answer.headers["retry-after"]).toBe(header);
  });

  it.each([
    ["an Error", new Error("secret at /etc/passwd:1")],
    ["an Error with a foreign code", Object.assign(new Error("secret"), { code: "SQLITE_CORRUPT" })],
    ["an Error that only looks like ours", Object.assign(new Error("secret"), { code: "timed_out" })],
    ["text", "secret"],
    ["nothing", undefined],
    ["null", null],
    ["a hostile object", Object.defineProperty(new Error("secret"), "code", { get: () => "FST_UNKNOWN" })],
  ])("%s from inside tells nothing but where to look", async (_, thrown) => {
    const lines: object[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (fields: object) => lines.push(fields) };
    const server = serve({ scheduler: fakeScheduler({ stats: rejecting(thrown) }), logger });
    const answer = await send(server, "GET", "/v1/stats");
    expectProblem(answer, "internal");
    expect(answer.text).not.toMatch(/secret|at .*\.ts|node_modules/);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ event: "http_error", method: "GET", url: "/v1/stats", err: thrown });
    const { requestId } = lines[0] as { requestId: string };
    expect(answer.body["detail"]).toContain(requestId);
  });

  it("keeps a detail to one line", async () => {
    const answer = await send(failing(coded("wrong_state", "two\r\nlines\n\nhere")), "GET", "/v1/stats");
    expect(answer.body["detail"]).toBe("two lines here");
  });

  it.each([
    "/",
    "/x",
    "/v1",
    "/v1/",
    "/v1/tasks/",
    "/v1/tasks/a/b",
    "/v1/tasks//why",
    "/V1/tasks",
    "/v1/queues/a/next/",
    "/favicon.ico",
  ])("POST %s: nothing there, or not this way", async (url) => {
    const answer = await send(serve(), "POST", url, {});
    expectProblem(answer, url === "/" ? "method_not_allowed" : "not_found");
  });

  it.each([
    ["PUT", "/v1/tasks", "GET, HEAD, POST"],
    ["GET", "/v1/tasks/batch/", null],
    ["PUT", "/v1/tasks/batch", "DELETE, GET, HEAD, PATCH, POST"],
    ["POST", "/v1/tasks/a%2Fb", "DELETE, GET, HEAD, PATCH"],
    ["GET", "/v1/tasks/a/cancel", "POST"],
    ["DELETE", "/v1/queues/a", "GET, HEAD, PATCH"],
    ["POST", "/metrics", "GET, HEAD"],
    ["HEAD", "/v1/events", "GET"],
    ["OPTIONS", "/v1/tasks", "GET, HEAD, POST"],
    ["DELETE", "/assets/page.css?x=1", "GET, HEAD"],
  ] as const)("%s %s says Allow: %s", async (method, url, allow) => {
    const answer = await send(serve(), method, url);
    expect(answer.headers["allow"]).toBe(allow ?? undefined);
    expect(answer.status).toBe(allow === null ? 404 : 405);
    if (method !== "HEAD") expectProblem(answer, allow === null ? "not_found" : "method_not_allowed");
  });

  it.each([
    ["/v1/tasks/%", "bad_request"],
    ["/v1/tasks/%ff", "bad_request"],
    ["/v1/tasks/%ED%A0%80", "bad_request"],
    [`/v1/tasks/${"x".repeat(5000)}`, "invalid_id"],
  ] as const)("a path that is none: %s", async (url, code) => {
    expectProblem(await send(serve(), "GET", url), code, 400);
  });

  it.each<[string, string | Buffer, Record<string, string>, ErrorCode, string | undefined]>([
    ["a cut body", '{"type":"ec', {}, "invalid_json", undefined],
    ["two values", "{}{}", {}, "invalid_json", undefined],
    ["a trailing comma", '{"type":"echo",}', {}, "invalid_json", undefined],
    ["a value that is no object", '"echo"', {}, "invalid_option", undefined],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22]), {}, "invalid_json", undefined],
    ["UTF-16", Buffer.from('{"type":"echo"}', "utf16le"), {}, "invalid_json", undefined],
    ["__proto__", '{"type":"echo","payload":{"a":[{"__proto__":1}]}}', {}, "invalid_json", "payload.a[0].__proto__"],
    ["__proto__ in escapes", '{"type":"echo","\\u005f_proto__":{}}', {}, "invalid_json", "__proto__"],
    ["10 000 levels", "[".repeat(10_000) + "]".repeat(10_000), {}, "invalid_json", undefined],
    ["500 000 levels that never close", "[".repeat(500_000), {}, "invalid_json", undefined],
    ["a raw NUL", '{"type":"a\0"}', {}, "invalid_json", undefined],
    ["an escaped NUL", '{"type":"a\\u0000"}', {}, "unstorable_value", "type"],
    ["half a pair", '{"type":"echo","name":"\\ud800"}', {}, "unstorable_value", "name"],
    [
      "a form",
      "type=echo",
      { "content-type": "application/x-www-form-urlencoded" },
      "unsupported_media_type",
      "Content-Type",
    ],
    ["plain text", '{"type":"echo"}', { "content-type": "text/plain" }, "unsupported_media_type", "Content-Type"],
    ["XML", "<a/>", { "content-type": "application/xml" }, "unsupported_media_type", "Content-Type"],
    ["no media type", "{}", { "content-type": "json" }, "unsupported_media_type", "Content-Type"],
    [
      "another charset",
      "{}",
      { "content-type": "application/json; charset=utf-16" },
      "unsupported_media_type",
      "Content-Type",
    ],
    ["a zipped body", "{}", { "content-encoding": "gzip" }, "unsupported_media_type", "Content-Encoding"],
    ["a body over the limit", `"${"x".repeat(1100)}"`, {}, "body_too_large", undefined],
  ])("%s is refused", async (_, body, headers, code, field) => {
    const scheduler = fakeScheduler();
    const server = serve({ scheduler, bodyLimit: code === "body_too_large" ? 1024 : 1_048_576 });
    const answer = await send(server, "POST", "/v1/tasks", body, headers);
    expectProblem(answer, code);
    expect(answer.body["field"]).toBe(field);
    if (code === "body_too_large") expect(answer.body["detail"]).toContain("1024 bytes");
    expect(scheduler.calls).toEqual([]);
  });

  it.each([
    ["a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"type":"echo"}')]), {}],
    ["a charset of UTF-8", '{"type":"echo"}', { "content-type": 'application/json; charset="UTF-8"' }],
    ["200 levels", `{"type":"echo","payload":${"[".repeat(199)}${"]".repeat(199)}}`, {}],
    ["brackets in text", JSON.stringify({ type: "echo", payload: `\\"${"[{".repeat(500)}` }), {}],
    ["a key like constructor", '{"type":"echo","payload":{"constructor":{"prototype":{}}}}', {}],
    ["identity encoding", '{"type":"echo"}', { "content-encoding": "identity" }],
  ])("%s is fine", async (_, body, headers) => {
    expect(await send(serve(), "POST", "/v1/tasks", body, headers)).toMatchObject({ status: 201 });
  });

  it("asks for plain bodies where it refused another kind", async () => {
    const answer = await send(serve(), "POST", "/v1/tasks", "{}", { "content-encoding": "br" });
    expect(answer).toMatchObject({ status: 415, headers: { "accept-encoding": "identity" } });
  });
});

describe("health", () => {
  const state = (live: boolean, ready: boolean, reasons: string[] = []) =>
    serve({ scheduler: fakeScheduler({ health: () => ({ live, ready, reasons }) }) });

  it.each([
    [true, true, 200, 200, 200],
    [true, false, 200, 503, 503],
    [false, false, 503, 503, 503],
  ])("live %s, ready %s", async (live, ready, livez, readyz, healthz) => {
    const server = state(live, ready, ready ? [] : ["the ledger is busy", "no lease"]);
    for (const [url, status] of [
      ["/livez", livez],
      ["/readyz", readyz],
      ["/healthz", healthz],
    ] as const) {
      const answer = await send(server, "GET", url);
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ live, ready });
      if (status === 200) continue;
      expectProblem(answer, "not_ready");
      expect(answer.body).toMatchObject({
        reasons: ["the ledger is busy", "no lease"],
        detail: "the ledger is busy; no lease",
      });
      expect(answer.headers["retry-after"]).toBe("1");
    }
  });
});
