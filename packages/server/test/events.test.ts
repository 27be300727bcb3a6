import { createClient, type StreamedEvent } from "@giveway/api";
import { describe, expect, it } from "vitest";
import { EventRing } from "../src/events/event-ring.ts";
import type { ServerOptions } from "../src/index.ts";
import { fakeScheduler } from "./support/fake-scheduler.ts";
import { Raw, statusOf } from "./support/raw.ts";
import { serve } from "./support/serve.ts";

async function listening(events: NonNullable<ServerOptions["events"]> = {}) {
  const scheduler = fakeScheduler();
  const server = serve({ scheduler, events });
  const { url, port } = await server.listen();
  return { scheduler, server, url, port };
}

/** Opens a stream and answers once it is known to be open. */
async function stream(port: number, path = "/v1/events", headers = ""): Promise<Raw> {
  const raw = await Raw.open(port);
  await raw.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  await raw.until((text) => text.includes("retry: 2000\n\n"));
  return raw;
}

const idsIn = (text: string) => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id);
const gone = async (scheduler: { readonly listeners: number }, count: number) => {
  while (scheduler.listeners !== count) await new Promise((resolve) => setImmediate(resolve));
};

describe("the event stream", () => {
  it("sends events as they happen, with ids, to all who watch", async () => {
    const { scheduler, port } = await listening();
    const [one, two] = await Promise.all([stream(port), stream(port)]);
    scheduler.emit({ kind: "started", task: "a" });
    scheduler.emit({ kind: "succeeded", task: "a", data: { run: 12, text: "line\nbreak\r\n\u2028" } });
    for (const raw of [one, two]) {
      const text = await raw.until((all) => all.includes("node-1.2") && all.endsWith("\n\n\r\n"));
      expect(statusOf(text)).toBe(200);
      expect(text).toMatch(/^content-type: text\/event-stream; charset=utf-8\r$/im);
      expect(text).toMatch(/^cache-control: no-store, no-transform\r$/im);
      expect(text).toMatch(/^x-content-type-options: nosniff\r$/im);
      expect(idsIn(text)).toEqual(["node-1.1", "node-1.2"]);
      const data = [...text.matchAll(/^data: ([^\n]*)$/gm)].map(([, json]) => JSON.parse(json!));
      expect(data).toMatchObject([
        { n: 1, kind: "started", task: "a" },
        { n: 2, kind: "succeeded", data: { run: 12, text: "line\nbreak\r\n\u2028" } },
      ]);
      raw.socket.destroy();
    }
  });

  it("sends only what is new, unless asked for what is just past", async () => {
    const { scheduler, port } = await listening();
    const first = await stream(port);
    for (let n = 0; n < 5; n += 1) scheduler.emit({});
    await first.until((text) => idsIn(text).length === 5);
    const fresh = await stream(port);
    const recent = await stream(port, "/v1/events?recent=2");
    scheduler.emit({});
    expect(idsIn(await recent.until((text) => text.includes("node-1.6")))).toEqual([
      "node-1.4",
      "node-1.5",
      "node-1.6",
    ]);
    expect(idsIn(await fresh.until((text) => text.includes("node-1.6")))).toEqual(["node-1.6"]);
    for (const raw of [first, fresh, recent]) raw.socket.destroy();
  });

  it("goes on after the last event received, and says what was lost", async () => {
    const { scheduler, port } = await listening({ keep: 3 });
    const first = await stream(port);
    for (let n = 0; n < 6; n += 1) scheduler.emit({});
    await first.until((text) => idsIn(text).length === 6);
    for (const [last, gap, ids] of [
      ["node-1.6", null, []],
      ["node-1.4", null, ["node-1.5", "node-1.6"]],
      ["node-1.3", null, ["node-1.4", "node-1.5", "node-1.6"]],
      ["node-1.2", { missed: 1 }, ["node-1.4", "node-1.5", "node-1.6"]],
      ["node-1.0", { missed: 3 }, ["node-1.4", "node-1.5", "node-1.6"]],
      ["node-1.99", { missed: null }, []],
      ["node-2.4", { missed: null }, []],
      ["rubbish", { missed: null }, []],
    ] as const) {
      const raw = await stream(port, "/v1/events?recent=3", `Last-Event-ID: ${last}\r\n`);
      const known = raw.text;
      expect(idsIn(known)).toEqual(ids);
      const told = /^event: gap\ndata: (.*)$/m.exec(known)?.[1];
      expect(told === undefined ? null : JSON.parse(told)).toEqual(gap);
      raw.socket.destroy();
    }
    first.socket.destroy();
  });

  it("listens from the first stream on, and keeps what happens between two streams", async () => {
    const { scheduler, port } = await listening();
    expect(scheduler.listeners).toBe(0);
    const first = await stream(port);
    scheduler.emit({});
    await first.until((text) => text.includes("node-1.1"));
    first.socket.destroy();
    await first.closed();
    scheduler.emit({});
    const second = await stream(port, "/v1/events", "Last-Event-ID: node-1.1\r\n");
    expect(idsIn(second.text)).toEqual(["node-1.2"]);
    expect(scheduler.listeners).toBe(1);
    second.socket.destroy();
  });

  it("stops listening a while after the last stream has gone", async () => {
    const { scheduler, port } = await listening({ linger: 5 });
    const [one, two] = await Promise.all([stream(port), stream(port)]);
    one.socket.destroy();
    await one.closed();
    expect(scheduler.listeners).toBe(1);
    two.socket.destroy();
    await gone(scheduler, 0);
    const again = await stream(port, "/v1/events", "Last-Event-ID: node-1.0\r\n");
    expect(again.text).toContain('event: gap\ndata: {"missed":null}');
    again.socket.destroy();
  });

  it("shows by a comment that a silent stream lives", async () => {
    const { port } = await listening({ heartbeat: 5 });
    const raw = await stream(port);
    await raw.until((text) => text.split(": beat\n\n").length > 3);
    raw.socket.destroy();
  });

  it("refuses one stream too many and takes it once another has ended", async () => {
    const { port, url } = await listening({ streams: 1 });
    const first = await stream(port);
    const refused = await fetch(`${url}/v1/events`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ code: "too_many_requests" });
    first.socket.destroy();
    for (let status = 429; status !== 200; ) {
      const stop = new AbortController();
      status = (await fetch(`${url}/v1/events`, { signal: stop.signal })).status;
      stop.abort();
    }
  });

  it("drops a reader that does not read, and nobody else", async () => {
    const { scheduler, port } = await listening();
    const [slow, good] = await Promise.all([stream(port), stream(port)]);
    slow.socket.pause();
    const text = "x".repeat(100_000);
    for (let n = 1; n <= 150; n += 1) {
      scheduler.emit({ data: { text } });
      await good.until((all) => all.length > n * text.length);
    }
    slow.socket.resume();
    await slow.closed();
    expect(idsIn(slow.text).length).toBeLessThan(150);
    good.socket.destroy();
  });

  it("ends with the server, and the client stops where it is told to", async () => {
    const { scheduler, server, port, url } = await listening();
    const raw = await stream(port);
    const stop = new AbortController();
    const seen: StreamedEvent[] = [];
    const following = (async () => {
      for await (const event of createClient({ url }).events({ signal: stop.signal, recent: 1, reconnect: false })) {
        if (event.kind === "open") continue;
        seen.push(event);
        void server.close();
      }
    })();
    while (seen.length === 0) {
      scheduler.emit({ task: "t9" });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await following;
    await raw.closed();
    expect(seen[0]).toMatchObject({ kind: "event", event: { task: "t9" } });
    expect(scheduler.listeners).toBe(0);
  });
});

describe("the ring", () => {
  it("agrees with a plain list", () => {
    for (const keep of [1, 2, 3, 7]) {
      const ring = new EventRing(keep);
      const all: number[] = [];
      for (let n = 1; n <= 20; n += 1) {
        ring.push({ n } as Parameters<EventRing["push"]>[0]);
        all.push(n);
        const kept = all.slice(-keep);
        for (let count = 0; count <= keep + 1; count += 1) {
          expect(ring.recent(count).map((event) => event.n)).toEqual(count === 0 ? [] : kept.slice(-count));
        }
        for (let last = 0; last <= n; last += 1) {
          const { missed, events } = ring.after(last);
          expect(events.map((event) => event.n)).toEqual(kept.filter((one) => one > last));
          expect(missed).toBe(Math.max(0, kept[0]! - last - 1));
        }
        expect(ring.after(n + 1)).toEqual({ missed: null, events: [] });
      }
    }
  });
});
