import type { Metrics } from "@giveway/engine";
import { describe, expect, it } from "vitest";
import { fakeScheduler, queueView, rejecting } from "./support/fake-scheduler.ts";
import { gate } from "./support/gate.ts";
import { jsonOf, Raw, statusOf } from "./support/raw.ts";
import { send, serve } from "./support/serve.ts";

describe("metrics", () => {
  const metrics: Metrics = {
    families: [
      {
        name: "tasks_waiting",
        help: "Tasks that wait.",
        type: "gauge",
        samples: [
          { labels: { queue: "orders", lane: "express", weight: "8" }, value: 3 },
          { labels: { queue: 'a"b\\c\nd', lane: "standard", weight: "5" }, value: 0 },
        ],
      },
      { name: "giveway_attempts_total", help: "Attempts.", type: "counter", samples: [{ labels: {}, value: 12 }] },
      {
        name: "wait_seconds",
        help: "From ready to start.",
        type: "histogram",
        samples: [
          {
            labels: { queue: "orders" },
            buckets: [
              [0.1, 1],
              [1, 4],
              [Number.POSITIVE_INFINITY, 5],
            ],
            sum: 7.5,
            count: 5,
          },
          { labels: { queue: "mail" }, buckets: [[0.1, 2]], sum: 3, count: 4 },
        ],
      },
      { name: "nothing", help: "Has no samples yet.", type: "gauge", samples: [] },
    ],
  };

  it("are Prometheus text with the prefix, escaped, one family after the other", async () => {
    const answer = await send(serve({ scheduler: fakeScheduler({ metrics: async () => metrics }) }), "GET", "/metrics");
    expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.text).toBe(`# HELP giveway_tasks_waiting Tasks that wait.
# TYPE giveway_tasks_waiting gauge
giveway_tasks_waiting{queue="orders",lane="express",weight="8"} 3
giveway_tasks_waiting{queue="a\\"b\\\\c\\nd",lane="standard",weight="5"} 0

# HELP giveway_attempts_total Attempts.
# TYPE giveway_attempts_total counter
giveway_attempts_total 12

# HELP giveway_wait_seconds From ready to start.
# TYPE giveway_wait_seconds histogram
giveway_wait_seconds_bucket{queue="orders",le="0.1"} 1
giveway_wait_seconds_bucket{queue="orders",le="1"} 4
giveway_wait_seconds_bucket{queue="orders",le="+Inf"} 5
giveway_wait_seconds_sum{queue="orders"} 7.5
giveway_wait_seconds_count{queue="orders"} 5
giveway_wait_seconds_bucket{queue="mail",le="0.1"} 2
giveway_wait_seconds_bucket{queue="mail",le="+Inf"} 4
giveway_wait_seconds_sum{queue="mail"} 3
giveway_wait_seconds_count{queue="mail"} 4

# HELP giveway_nothing Has no samples yet.
# TYPE giveway_nothing gauge
`);
  });

  it("can be scraped again and again", async () => {
    const server = serve({ scheduler: fakeScheduler({ metrics: async () => metrics }) });
    const first = await send(server, "GET", "/metrics");
    expect(await send(server, "GET", "/metrics?x=1")).toMatchObject({ status: 400 });
    expect((await send(server, "GET", "/metrics")).text).toBe(first.text);
  });
});

describe("types", () => {
  it("are what code says, with how they stand", async () => {
    const state = { concurrency: 2, paused: true, running: 2, zombies: 1, stopped: false };
    const scheduler = fakeScheduler({
      types: () => [
        { type: "sms", queue: "mail", derivesId: true, concurrency: 2, timeout: 5000 },
        { type: "new", queue: "mail", derivesId: false, concurrency: null, timeout: 60_000 },
      ],
      queues: async () => [queueView(), queueView({ name: "mail", types: [{ type: "sms", ...state }] })],
    });
    const answer = await send(serve({ scheduler }), "GET", "/v1/types");
    expect(answer.body).toEqual({
      items: [
        { type: "sms", queue: "mail", derivesId: true, timeout: 5000, ...state },
        {
          type: "new",
          queue: "mail",
          derivesId: false,
          concurrency: null,
          timeout: 60_000,
          paused: false,
          running: 0,
          zombies: 0,
          stopped: false,
        },
      ],
      nextCursor: null,
    });
  });
});

describe("closing", () => {
  it("lets a running request finish, takes nothing new, and is not ready meanwhile", async () => {
    let finish = () => {};
    const begun = gate();
    const scheduler = fakeScheduler({
      nodes: () =>
        new Promise((resolve) => {
          finish = () => resolve([]);
          begun.open();
        }),
    });
    const server = serve({ scheduler });
    const { port } = await server.listen();
    const running = await Raw.open(port);
    const idle = await Raw.open(port);
    const early = await Raw.open(port);
    const probe = await Raw.open(port);
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    await idle.write(ask("/livez"));
    await idle.answer();
    await running.write(ask("/v1/nodes"));
    await begun.opened;
    const closed = server.close();
    expect(server.close()).toBe(closed);
    await idle.closed();
    // Two that were connected before and ask only now.
    await early.write(ask("/v1/stats"));
    const refused = await early.closed();
    expect(statusOf(refused)).toBe(503);
    expect(jsonOf(refused)).toMatchObject({ code: "shutting_down" });
    await probe.write(ask("/readyz"));
    expect(jsonOf(await probe.closed())).toMatchObject({
      status: 503,
      ready: false,
      reasons: ["the server is closing"],
    });
    finish();
    const text = await running.closed();
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(text).toMatch(/^connection: close\r$/im);
    await closed;
    await expect(Raw.open(port)).rejects.toThrow(/ECONNREFUSED/);
  });

  it("cuts off what does not end in time", async () => {
    const begun = gate();
    const scheduler = fakeScheduler({
      nodes: () => {
        begun.open();
        return new Promise(() => {});
      },
    });
    const server = serve({ scheduler, timeouts: { close: 20 } });
    const { port } = await server.listen();
    const raw = await Raw.open(port);
    await raw.write("GET /v1/nodes HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await begun.opened;
    await server.close();
    expect(await raw.closed()).toBe("");
  });

  it("is fine where it never listened", async () => {
    await serve({ scheduler: fakeScheduler({ stats: rejecting(null) }) }).close();
  });
});
