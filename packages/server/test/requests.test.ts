import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeScheduler, taskView } from "./support/fake-scheduler.ts";
import { send, serve } from "./support/serve.ts";

/** Serves a scheduler that writes down its calls. */
function recording(answers: Parameters<typeof fakeScheduler>[0] = {}) {
  const scheduler = fakeScheduler(answers);
  return { server: serve({ scheduler }), calls: scheduler.calls };
}

describe("what reaches the scheduler", () => {
  it("a submit with all its options", async () => {
    const { server, calls } = recording();
    const options = {
      id: "a/b",
      name: "close order",
      weight: "high",
      delay: "15m",
      deadline: "2030-01-01T00:00:00Z",
      queue: "orders",
      retry: { delays: ["1s", 5000] },
      timeout: 500,
      requestId: "req",
      onDuplicate: "reject",
      tags: ["x"],
    };
    const answer = await send(server, "POST", "/v1/tasks", { type: "close", payload: { orderId: 1 }, ...options });
    expect(answer.status).toBe(201);
    expect(calls).toEqual([{ method: "submit", args: ["close", { orderId: 1 }, options] }]);
  });

  it("a submit without a payload has null", async () => {
    const { server, calls } = recording();
    await send(server, "POST", "/v1/tasks", { type: "tick" });
    expect(calls).toEqual([{ method: "submit", args: ["tick", null, {}] }]);
  });

  it("answers 200 where the id was known, and always says where the task is", async () => {
    const known = { task: taskView({ id: "a b/ü" }), created: false, reason: "it runs already" } as const;
    const { server } = recording({ submit: async () => known });
    const answer = await send(server, "POST", "/v1/tasks", { type: "echo" });
    expect(answer).toMatchObject({ status: 200, body: known, headers: { location: "/v1/tasks/a%20b%2F%C3%BC" } });
  });

  it.each([
    ["abc-1", "abc-1"],
    ["with space", "with space"],
    ['"quoted key"', "quoted key"],
    ['"a\\"b\\\\c"', 'a"b\\c'],
  ])("Idempotency-Key %s serves as id", async (header, id) => {
    const { server, calls } = recording();
    await send(server, "POST", "/v1/tasks", { type: "echo" }, { "idempotency-key": header });
    await send(server, "POST", "/v1/tasks", { type: "echo", id }, { "idempotency-key": header });
    expect(calls.map(({ args }) => args[2])).toEqual([{ id }, { id }]);
  });

  it.each([
    ['"open', 'expected plain ASCII text, or the same in double quotes with \\" and \\\\ for " and \\'],
    ['"a"; b', 'expected plain ASCII text, or the same in double quotes with \\" and \\\\ for " and \\'],
    ['""', "is empty"],
  ])("Idempotency-Key %s is refused", async (header, fault) => {
    const { server, calls } = recording();
    const answer = await send(server, "POST", "/v1/tasks", { type: "echo" }, { "idempotency-key": header });
    expect(answer.body).toMatchObject({
      status: 400,
      code: "invalid_id",
      field: "Idempotency-Key",
      detail: `Idempotency-Key: ${fault}`,
    });
    expect(calls).toEqual([]);
  });

  it("a key and another id are refused, and so is a key for a batch", async () => {
    const { server, calls } = recording();
    const key = { "idempotency-key": "a" };
    const both = await send(server, "POST", "/v1/tasks", { type: "echo", id: "b" }, key);
    expect(both).toMatchObject({ status: 400, body: { code: "invalid_id", field: "Idempotency-Key" } });
    const batch = await send(server, "POST", "/v1/tasks/batch", [{ type: "echo" }], key);
    expect(batch).toMatchObject({ status: 400, body: { code: "invalid_option", field: "Idempotency-Key" } });
    expect(calls).toEqual([]);
  });

  it("a batch: good items together, each with its own answer in order (V-31)", async () => {
    const { server, calls } = recording({
      submitMany: async (items) =>
        items.map(({ type }) =>
          type === "unknown"
            ? { error: Object.assign(new Error("what is in the log only")) }
            : { task: taskView({ type: String(type) }), created: true },
        ),
    });
    const items = [{ type: "a", payload: 1 }, 7, { type: "b", weight: 99 }, { type: "unknown" }, { type: "c" }];
    for (const body of [{ tasks: items }, { items }, items]) {
      const answer = await send(server, "POST", "/v1/tasks/batch", body);
      expect(answer.status).toBe(200);
      expect(answer.body["results"]).toMatchObject([
        { created: true, task: { type: "a" } },
        { error: { code: "invalid_option", detail: "the body: expected an object; got 7" } },
        { error: { code: "invalid_weight", field: "weight", status: 400 } },
        { error: { code: "internal", status: 500 } },
        { created: true, task: { type: "c" } },
      ]);
      expect(answer.text).not.toContain("in the log only");
    }
    expect(calls[0]).toEqual({
      method: "submitMany",
      args: [
        [
          { type: "a", payload: 1 },
          { type: "unknown", payload: null },
          { type: "c", payload: null },
        ],
      ],
    });
  });

  it("filters, repeated or with commas", async () => {
    const { server, calls } = recording();
    await send(
      server,
      "GET",
      "/v1/tasks?state=dead,failed&state=waiting&type=a%2Cb&weight=7,high&text=x,y&limit=5&cursor=c",
    );
    await send(server, "GET", "/v1/tasks?state=&queue=&limit=");
    expect(calls).toEqual([
      {
        method: "find",
        args: [
          {
            state: ["dead", "failed", "waiting"],
            type: ["a", "b"],
            weight: [7, "high"],
            text: "x,y",
            limit: 5,
            cursor: "c",
          },
        ],
      },
      { method: "find", args: [{}] },
    ]);
  });

  it.each([
    ["/v1/tasks?stat=dead", "invalid_filter", "stat"],
    ["/v1/tasks?state=lost", "invalid_filter", "state[0]"],
    ["/v1/tasks?limit=0", "invalid_filter", "limit"],
    ["/v1/tasks?limit=1001", "invalid_filter", "limit"],
    ["/v1/tasks?limit=ten", "invalid_filter", "limit"],
    ["/v1/tasks?limit=1&limit=2", "invalid_filter", "limit"],
    ["/v1/tasks?weight=11", "invalid_weight", "weight[0]"],
    ["/v1/tasks?text=%00", "unstorable_value", "text"],
    ["/v1/tasks?__proto__=x", "invalid_filter", "__proto__"],
    ["/v1/tasks/t1?verbose=1", "invalid_option", "verbose"],
    ["/v1/queues/a%00b", "unstorable_value", "name"],
  ])("%s is refused as %s about %s", async (url, code, field) => {
    const { server, calls } = recording();
    const answer = await send(server, "GET", url);
    expect(answer).toMatchObject({ status: 400, body: { code, field } });
    expect(calls).toEqual([]);
  });

  it("ids of any character, URL-encoded", async () => {
    const { server, calls } = recording({ get: async (id) => taskView({ id }) });
    const id = fc.string({ minLength: 1, maxLength: 255, unit: "binary" }).filter((one) => one !== "." && one !== "..");
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(id, fc.constantFrom("a/b", "a%2Fb", "%", "a?b#c;d", "../x", ":id", "batch", "a+b")),
        async (one) => {
          calls.length = 0;
          const answer = await send(server, "GET", `/v1/tasks/${encodeURIComponent(one)}`);
          expect(answer).toMatchObject({ status: 200, body: { task: { id: one } } });
          expect(calls).toEqual([{ method: "get", args: [one] }]);
        },
      ),
    );
  });

  it("changes, with who made them and why", async () => {
    const { server, calls } = recording();
    const by = { by: "local" };
    await send(server, "PATCH", "/v1/tasks/t1", { weight: "critical", cause: "phone call" });
    await send(server, "PATCH", "/v1/tasks/t1", { weight: 3, payload: null, name: null, delay: "1h" });
    await send(server, "POST", "/v1/tasks/t1/cancel");
    await send(server, "POST", "/v1/tasks/t1/cancel", { cause: "typo" });
    await send(server, "POST", "/v1/tasks/t1/rerun", { payload: { a: 1 }, delay: 5 });
    await send(server, "DELETE", "/v1/tasks/t1");
    await send(server, "PATCH", "/v1/queues/a%2Fb", {
      paused: true,
      slots: null,
      steps: { standard: "1s" },
      cause: "night",
    });
    expect(calls).toEqual([
      { method: "reweight", args: ["t1", "critical", { ...by, cause: "phone call" }] },
      { method: "edit", args: ["t1", { weight: 3, payload: null, name: null, delay: "1h" }, by] },
      { method: "cancel", args: ["t1", by] },
      { method: "cancel", args: ["t1", { ...by, cause: "typo" }] },
      { method: "rerun", args: ["t1", { ...by, payload: { a: 1 }, delay: 5 }] },
      { method: "remove", args: ["t1", by] },
      {
        method: "setQueue",
        args: ["a/b", { paused: true, slots: null, steps: { standard: "1s" }, ...by, cause: "night" }],
      },
    ]);
  });

  it("pauses and resumes a type that this node knows", async () => {
    const { server, calls } = recording();
    await send(server, "PATCH", "/v1/types/echo", { paused: true });
    await send(server, "PATCH", "/v1/types/echo", { paused: false });
    const unknown = await send(server, "PATCH", "/v1/types/other", { paused: true });
    expect(unknown.body).toMatchObject({ code: "unknown_type", subject: "other" });
    expect(calls.filter(({ method }) => method === "pause" || method === "resume")).toEqual([
      { method: "pause", args: [{ type: "echo" }, { by: "local" }] },
      { method: "resume", args: [{ type: "echo" }, { by: "local" }] },
    ]);
  });

  it("empty changes and missing bodies are refused", async () => {
    const { server, calls } = recording();
    for (const [method, url, body] of [
      ["PATCH", "/v1/tasks/t1", {}],
      ["PATCH", "/v1/tasks/t1", { cause: "why not" }],
      ["PATCH", "/v1/queues/a", {}],
      ["PATCH", "/v1/types/echo", {}],
    ] as const) {
      expect(await send(server, method, url, body)).toMatchObject({ status: 400, body: { code: "invalid_option" } });
    }
    for (const [method, url] of [
      ["POST", "/v1/tasks"],
      ["POST", "/v1/bulk"],
      ["PATCH", "/v1/tasks/t1"],
    ] as const) {
      expect(await send(server, method, url)).toMatchObject({ status: 400, body: { code: "invalid_json" } });
      expect(await send(server, method, url, "")).toMatchObject({ status: 400, body: { code: "invalid_json" } });
    }
    expect(calls).toEqual([]);
  });

  it("answers 201 with the address where a rerun made a new task", async () => {
    const { server } = recording({
      rerun: async () => ({ task: taskView({ id: "t2", rerunOf: "t1" }), created: true }),
    });
    const answer = await send(server, "POST", "/v1/tasks/t1/rerun");
    expect(answer).toMatchObject({ status: 201, headers: { location: "/v1/tasks/t2" }, body: { created: true } });
  });

  it("answers 204 without a body to a removal, and 404 for a task that is not there", async () => {
    const { server } = recording();
    expect(await send(server, "DELETE", "/v1/tasks/t1")).toMatchObject({ status: 204, text: "" });
    const missing = await send(server, "GET", "/v1/tasks/nope");
    expect(missing).toMatchObject({
      status: 404,
      body: { code: "task_not_found", subject: "nope", detail: "there is no task nope" },
    });
  });
});
