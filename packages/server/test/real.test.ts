import { createClient } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { gate } from "./support/gate.ts";
import { Raw, statusOf } from "./support/raw.ts";
import { serveReal } from "./support/real.ts";
import { send } from "./support/serve.ts";

const echo = { type: "echo", queue: "default", run: (payload: never) => payload };
const failing = {
  type: "failing",
  queue: "default",
  retry: { delays: [] },
  run: () => {
    throw new Error("<b>no</b> luck");
  },
};

type Body = Record<string, unknown>;
const taskOf = (body: Body) => body["task"] as Body;

describe("over the real engine", () => {
  it("submits, runs, shows, explains", async () => {
    const { server, seen } = await serveReal([echo]);
    const created = await send(server, "POST", "/v1/tasks", {
      type: "echo",
      id: "a/b",
      payload: { n: 1 },
      tags: ["x"],
    });
    expect(created).toMatchObject({ status: 201, headers: { location: "/v1/tasks/a%2Fb" } });
    await seen(({ kind }) => kind === "succeeded");
    const task = await send(server, "GET", "/v1/tasks/a%2Fb");
    expect(taskOf(task.body)).toMatchObject({
      state: "succeeded",
      result: { n: 1 },
      attempt: 1,
      endReason: "succeeded",
    });
    const again = await send(
      server,
      "POST",
      "/v1/tasks",
      { type: "echo", payload: { n: 1 } },
      { "idempotency-key": "a/b" },
    );
    expect(again).toMatchObject({ status: 200, body: { created: false, task: { state: "succeeded" } } });
    const conflict = await send(server, "POST", "/v1/tasks", { type: "echo", payload: { n: 2 }, id: "a/b" });
    expect(conflict).toMatchObject({ status: 409, body: { code: "id_conflict" } });
    const history = await send(server, "GET", "/v1/tasks/a%2Fb/history");
    expect(history.body).toMatchObject({ attempts: [{ attempt: 1, outcome: "succeeded", error: null }], changes: [] });
    expect((await send(server, "GET", "/v1/tasks/a%2Fb/why")).body).toMatchObject({ id: "a/b", state: "succeeded" });
    for (const url of ["/v1/queues", "/v1/slots", "/v1/nodes", "/v1/stats", "/v1/types", "/v1/queues/default/next"]) {
      expect(await send(server, "GET", url)).toMatchObject({ status: 200 });
    }
  });

  it("changes, cancels, reruns, removes, each by its state", async () => {
    const { server } = await serveReal([echo]);
    await send(server, "POST", "/v1/tasks", { type: "echo", id: "t", delay: "1d" });
    const edited = await send(server, "PATCH", "/v1/tasks/t", { weight: "high", payload: [1], name: "n", delay: "2d" });
    expect(taskOf(edited.body)).toMatchObject({ weight: 8, payload: [1], name: "n", view: "delayed" });
    const due = Date.parse(String(taskOf(edited.body)["dueAt"])) - Date.parse(String(taskOf(edited.body)["updatedAt"]));
    expect(Math.round(due / 86_400_000)).toBe(2);
    expect(taskOf((await send(server, "PATCH", "/v1/tasks/t", { weight: 2 })).body)).toMatchObject({ weight: 2 });
    expect((await send(server, "POST", "/v1/tasks/t/rerun")).body).toMatchObject({ status: 409, code: "wrong_state" });
    expect(taskOf((await send(server, "POST", "/v1/tasks/t/cancel")).body)).toMatchObject({ state: "cancelled" });
    for (const change of [{ weight: 5 }, { payload: 1 }, { delay: 1 }]) {
      expect((await send(server, "PATCH", "/v1/tasks/t", change)).body).toMatchObject({
        status: 409,
        code: "wrong_state",
      });
    }
    expect(await send(server, "POST", "/v1/tasks/t/rerun", { delay: "1d" })).toMatchObject({
      status: 200,
      body: { created: false, task: { state: "waiting" } },
    });
    const { changes } = (await send(server, "GET", "/v1/tasks/t/history")).body as { changes: Body[] };
    expect(changes.map(({ by }) => by)).toEqual(changes.map(() => "local"));
    expect(changes.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["reweighted", "cancelled", "rerun"]));
    expect(await send(server, "DELETE", "/v1/tasks/t")).toMatchObject({ status: 204 });
    for (const [method, url, body] of [
      ["GET", "/v1/tasks/t"],
      ["GET", "/v1/tasks/t/history"],
      ["GET", "/v1/tasks/t/why"],
      ["PATCH", "/v1/tasks/t", { weight: 1 }],
      ["POST", "/v1/tasks/t/cancel"],
      ["POST", "/v1/tasks/t/rerun"],
      ["DELETE", "/v1/tasks/t"],
    ] as const) {
      expect((await send(server, method, url, body)).body, `${method} ${url}`).toMatchObject({
        status: 404,
        code: "task_not_found",
      });
    }
  });

  it("refuses to remove or edit what runs, and says so", async () => {
    const hold = gate();
    const { server, seen } = await serveReal([{ type: "hold", run: () => hold.opened }]);
    await send(server, "POST", "/v1/tasks", { type: "hold", id: "t" });
    await seen(({ kind }) => kind === "started");
    expect((await send(server, "DELETE", "/v1/tasks/t")).body).toMatchObject({ status: 409, code: "wrong_state" });
    expect((await send(server, "PATCH", "/v1/tasks/t", { payload: 1 })).body).toMatchObject({ code: "wrong_state" });
    const slots = await send(server, "GET", "/v1/slots");
    expect(slots.body).toMatchObject({ items: [{ task: "t", type: "hold", kind: "base", attempt: 1 }] });
    hold.open();
    await seen(({ kind }) => kind === "succeeded");
  });

  it("redrives the dead, counted first", async () => {
    let isBroken = true;
    const { server, seen } = await serveReal([
      {
        type: "mail",
        retry: { delays: [] },
        run: () => {
          if (isBroken) throw new Error("down");
          return "sent";
        },
      },
    ]);
    const ids = Array.from({ length: 25 }, (_, at) => `m${at}`);
    await send(
      server,
      "POST",
      "/v1/tasks/batch",
      ids.map((id) => ({ type: "mail", id })),
    );
    for (const id of ids) await seen(({ kind, task }) => kind === "dead" && task === id);
    isBroken = false;
    const request = { action: "redrive", filter: { type: "mail" }, rate: 5000 };
    expect((await send(server, "POST", "/v1/bulk", { ...request, dryRun: true })).body).toMatchObject({ matched: 25 });
    const begun = await send(server, "POST", "/v1/bulk", request);
    expect(begun).toMatchObject({ status: 202, body: { matched: 25 } });
    for (const id of ids) await seen(({ kind, task }) => kind === "succeeded" && task === id);
    let run = begun;
    while (run.body["state"] === "running") {
      await new Promise((resolve) => setImmediate(resolve));
      run = await send(server, "GET", String(begun.headers["location"]));
    }
    expect(run.body).toMatchObject({ state: "done", matched: 25, redriven: 25, error: null });
    const { changes } = (await send(server, "GET", "/v1/tasks/m3/history")).body as { changes: Body[] };
    expect(changes).toMatchObject([{ kind: "redriven", by: "local" }]);
  });

  it("pages through everything once, and filters", async () => {
    const { server } = await serveReal([echo, failing]);
    const items = Array.from({ length: 23 }, (_, at) => ({
      type: "echo",
      id: `t${at}`,
      delay: "1d",
      weight: (at % 10) + 1,
    }));
    await send(server, "POST", "/v1/tasks/batch", { tasks: items });
    const ids: unknown[] = [];
    let cursor = "";
    do {
      const { body } = await send(server, "GET", `/v1/tasks?limit=5&cursor=${cursor}`);
      ids.push(...(body["items"] as Body[]).map(({ id }) => id));
      cursor = (body["nextCursor"] as string | null) ?? "";
    } while (cursor !== "");
    expect(ids).toEqual(items.map(({ id }) => id).toReversed());
    const count = async (query: string) =>
      ((await send(server, "GET", `/v1/tasks?limit=100&${query}`)).body["items"] as unknown[]).length;
    expect(await count("weight=high,critical&weight=1")).toBe(7);
    expect(await count("state=delayed")).toBe(23);
    expect(await count("state=dead,running")).toBe(0);
    expect(await count("type=failing")).toBe(0);
    expect(await count("text=T1")).toBe(11);
    for (const bad of ["cursor=rubbish", "createdFrom=yesterday", "weight=0"]) {
      expect((await send(server, "GET", `/v1/tasks?${bad}`)).status).toBe(400);
    }
  });

  it("a batch with bad items of every kind answers each and keeps the good ones (V-31)", async () => {
    const { server } = await serveReal([echo]);
    const big = "x".repeat(300 * 1024);
    const items = [
      { type: "echo", id: "g1", delay: "1d" },
      { type: "nobody" },
      { type: "echo", payload: "a\0b" },
      { type: "echo", payload: { "k\ud800": 1 } },
      { type: "echo", payload: big },
      { type: "echo", delay: "soon" },
      { type: "echo", id: "" },
      { type: "echo", id: ".." },
      { type: "echo", runAt: "tomorrow" },
      null,
      { type: "echo", id: "g1", payload: "other", delay: "1d" },
      { type: "echo", id: "g2", delay: "1d" },
    ];
    const codes = [
      null,
      "unknown_type",
      "unstorable_value",
      "unstorable_value",
      "payload_too_large",
      "invalid_duration",
      "invalid_id",
      "invalid_id",
      "invalid_date",
      "invalid_option",
      "id_conflict",
      null,
    ];
    const answer = await send(server, "POST", "/v1/tasks/batch", { tasks: items });
    const results = answer.body["results"] as { error?: { code: string } }[];
    expect(results.map(({ error }) => error?.code ?? null)).toEqual(codes);
    const rows = await send(server, "GET", "/v1/tasks");
    expect((rows.body["items"] as Body[]).map(({ id }) => id)).toEqual(["g2", "g1"]);
    for (const [at, item] of items.entries()) {
      if (item === null || codes[at] === null || codes[at] === "id_conflict") continue;
      expect((await send(server, "POST", "/v1/tasks", item)).body["code"]).toBe(codes[at]);
    }
  });

  it("odd characters go through unchanged or are refused; the next task runs (V-26)", async () => {
    const { server, seen } = await serveReal([echo, failing]);
    const odd = { emoji: "👩‍👩‍👧", rtl: "‮שלום", "k\u2028": "\u0007\ufeff", deep: [[[["x"]]]], empty: "" };
    await send(server, "POST", "/v1/tasks", { type: "echo", id: "odd", payload: odd });
    await seen(({ kind, task }) => kind === "succeeded" && task === "odd");
    expect(taskOf((await send(server, "GET", "/v1/tasks/odd")).body)).toMatchObject({ payload: odd, result: odd });
    await send(server, "POST", "/v1/tasks", { type: "failing", id: "bad", name: "<i>" });
    await seen(({ kind, task }) => kind === "dead" && task === "bad");
    const bad = await send(server, "GET", "/v1/tasks/bad");
    expect(taskOf(bad.body)).toMatchObject({ name: "<i>", lastError: { message: "<b>no</b> luck" } });
    expect(bad.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  it("queues change live and reset by null; types pause for good", async () => {
    const { server } = await serveReal([echo, failing], { default: { slots: 6 } });
    const patch = { paused: true, slots: 3, burst: 5, share: 50, steps: { standard: "2s" } };
    const changed = await send(server, "PATCH", "/v1/queues/default", patch);
    expect(changed.body["queue"]).toMatchObject({ paused: true, slots: 3, burst: 5, share: 50, cap: 1 });
    const reset = await send(server, "PATCH", "/v1/queues/default", {
      paused: null,
      slots: null,
      burst: null,
      share: null,
      steps: null,
    });
    expect(reset.body["queue"]).toMatchObject({ paused: false, slots: 6, burst: 12, share: 70, overrides: [] });
    for (const bad of [{ slots: 0 }, { share: -1 }, { burst: 1.5 }, { steps: { standard: "soon" } }, { slots: "4" }]) {
      expect((await send(server, "PATCH", "/v1/queues/default", bad)).status).toBe(400);
    }
    for (const [method, url, body] of [
      ["GET", "/v1/queues/nope"],
      ["GET", "/v1/queues/nope/next"],
      ["PATCH", "/v1/queues/nope", { paused: true }],
    ] as const) {
      expect((await send(server, method, url, body)).body).toMatchObject({ status: 404, code: "unknown_queue" });
    }
    expect((await send(server, "PATCH", "/v1/types/echo", { paused: true })).body["type"]).toMatchObject({
      paused: true,
    });
    expect((await send(server, "PATCH", "/v1/types/echo", { paused: false })).body["type"]).toMatchObject({
      paused: false,
    });
    await send(server, "PATCH", "/v1/queues/default", { paused: true });
    const tasks = ["low", "critical", "normal", "high"].map((weight) => ({ type: "echo", id: weight, weight }));
    await send(server, "POST", "/v1/tasks/batch", { tasks });
    const next = await send(server, "GET", "/v1/queues/default/next?limit=3");
    expect(next.body["items"]).toMatchObject([
      { position: 1, id: "critical", lane: "express" },
      { position: 2, id: "high", lane: "express" },
      { position: 3, id: "normal", lane: "standard" },
    ]);
  });

  it("streams what happens, and metrics count it", async () => {
    const { server } = await serveReal([echo]);
    const { url } = await server.listen();
    const client = createClient({ url });
    const stop = new AbortController();
    const kinds: string[] = [];
    for await (const item of client.events({ signal: stop.signal })) {
      if (item.kind === "open") await client.submit({ type: "echo", id: "t", payload: 1 });
      if (item.kind !== "event" || item.event.task !== "t") continue;
      kinds.push(item.event.kind);
      if (item.event.kind === "succeeded") stop.abort();
    }
    expect(kinds).toEqual(["submitted", "started", "succeeded"]);
    expect(await client.metrics()).toMatch(/^giveway_attempts_total\{.*outcome="succeeded".*\} 1$/m);
    const error = await client.get("nope").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GivewayError);
    expect(error).toMatchObject({ code: "task_not_found", status: 404 });
  });

  it("stores nothing of an upload that breaks off (V-47)", async () => {
    const { server, scheduler } = await serveReal([echo]);
    const { port } = await server.listen();
    const body = JSON.stringify({ type: "echo", id: "cut", payload: "x".repeat(5000) });
    for (const length of [body.length + 1, body.length * 2]) {
      const raw = await Raw.open(port);
      await raw.write(
        `POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
      );
      raw.socket.end();
      const text = await raw.closed();
      expect(text === "" || statusOf(text) === 400).toBe(true);
    }
    await server.close();
    expect(await scheduler.get("cut")).toBeNull();
  });

  it("is not ready once the scheduler has stopped, and says why to every call", async () => {
    const { server, scheduler } = await serveReal([echo]);
    expect((await send(server, "GET", "/readyz")).status).toBe(200);
    await scheduler.stop({ timeout: 0 });
    expect(await send(server, "GET", "/readyz")).toMatchObject({
      status: 503,
      body: { code: "not_ready", ready: false },
    });
    const answer = await send(server, "POST", "/v1/tasks", { type: "echo" });
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  });
});
