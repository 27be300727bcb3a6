import { GivewayError } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import type { TaskType } from "../src/index.ts";
import { type NodeOptions, World } from "./support/world.ts";

async function setUp(tasks: readonly TaskType[] = [], more: Partial<NodeOptions> = {}) {
  const world = new World();
  const work = world.type("work", () => "done");
  const node = await world.started({ tasks: [work, ...tasks], ...more });
  return { world, node, engine: node.engine };
}

describe("a submit's options", () => {
  it("are all kept with the task", async () => {
    const { engine, world } = await setUp();
    const now = world.clock.now();
    const { task, created } = await engine.submit(
      "work",
      { n: 1 },
      {
        id: "all",
        name: "close unpaid order",
        weight: "high",
        delay: "15m",
        deadline: new Date(now + 3_600_000),
        expires: now + 7_200_000,
        retry: { delays: ["2s"] },
        timeout: "5s",
        requestId: "req-1",
        tags: ["shop", "night", "shop"],
      },
    );
    expect(created).toBe(true);
    const iso = (ms: number): string => new Date(now + ms).toISOString();
    expect(task).toMatchObject({
      id: "all",
      name: "close unpaid order",
      type: "work",
      queue: "default",
      state: "waiting",
      view: "delayed",
      settling: false,
      weight: 8,
      effectiveWeight: 8,
      lane: "express",
      attempt: 0,
      retries: 0,
      maxRetries: 1,
      payload: { n: 1 },
      result: null,
      requestId: "req-1",
      rerunOf: null,
      tags: ["shop", "night"],
      createdAt: iso(0),
      dueAt: iso(900_000),
      deadline: iso(3_600_000),
      expires: iso(7_200_000),
    });
    expect(await engine.get("all")).toEqual(task);
  });

  it.each<[options: object, code: string, message: RegExp]>([
    [{ priority: 9 }, "invalid_option", /^priority: .*did you mean weight\?/],
    [{ wieght: 9 }, "invalid_option", /^wieght: .*did you mean weight\?/],
    [{ tags: "shop" }, "invalid_option", /^tags: expected a list; got "shop"/],
    [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, "invalid_option", /^tags: has 21 tags, more than the 20/],
    [{ tags: ["ok", 7] }, "invalid_option", /^tags\[1\]: /],
    [{ name: "" }, "invalid_option", /^name: .*an empty string/],
    [{ name: "a\nb" }, "invalid_option", /^name: contains a control character/],
    [{ requestId: "" }, "invalid_id", /^requestId: /],
    [{ timeout: "fast" }, "invalid_duration", /^timeout: /],
    [{ timeout: 0 }, "invalid_duration", /^timeout: expected more than 0 ms/],
    [{ expires: "tomorrow" }, "invalid_date", /^expires: /],
    [{ runAt: "2026-03-01T09:00:00" }, "invalid_date", /^runAt: .*zone/],
    [
      { runAt: "2030-01-02T00:00:00Z", expires: "2030-01-01T00:00:00Z" },
      "invalid_option",
      /^expires: lies before runAt/,
    ],
    [{ retry: { next: () => 5 } }, "invalid_option", /^retry\.next: a function can't be stored/],
    [{ retry: { retryable: () => true } }, "invalid_option", /^retry\.retryable: a function can't be stored/],
    [{ retry: {} }, "invalid_option", /^retry: expected delays or exponential/],
    [{ retry: { delay: [] } }, "invalid_option", /^retry\.delay: .*did you mean delays\?/],
    [{ delay: "1s", runAt: 5 }, "invalid_option", /^delay: give delay or runAt, not both/],
    [{ queue: "defualt" }, "unknown_queue", /^queue: there is no queue "defualt" here; did you mean default\?/],
    [{ onDuplicate: "replac" }, "invalid_option", /^onDuplicate: .*did you mean replace\?/],
  ])("%j is refused in one line", async (options, code, message) => {
    const { engine } = await setUp();
    const error = await engine.submit("work", null, options as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GivewayError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((error as GivewayError).message).not.toContain("\n");
    expect((await engine.find()).items).toEqual([]);
  });

  it("may be undefined, each and all", async () => {
    const { engine } = await setUp();
    const options = { id: undefined, delay: undefined, runAt: undefined, tags: undefined, queue: undefined };
    expect(await engine.submit("work", undefined, options as never)).toMatchObject({
      created: true,
      task: { payload: null, tags: [] },
    });
    await expect(engine.submit("work", null, "id-1" as never)).rejects.toMatchObject({ code: "invalid_option" });
  });

  it("without an id get one that sorts by time", async () => {
    const { engine, world } = await setUp();
    const ids: string[] = [];
    for (let n = 0; n < 50; n += 1) {
      ids.push((await engine.submit("work", n)).task.id);
      if (n % 7 === 0) await world.clock.advance(3);
    }
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(50);
  });
});

describe("a submit's type", () => {
  it("has to have a handler here; near names are offered, and the known ones", async () => {
    const { world, engine } = await setUp([{ type: "close_order", run: () => null }]);
    await expect(engine.submit("close_ordr", null)).rejects.toMatchObject({
      code: "unknown_type",
      field: "type",
      message: 'type: "close_ordr" has no handler here; did you mean close_order? (known: work, close_order)',
    });
    await expect(engine.submit(undefined as never, null)).rejects.toMatchObject({ code: "unknown_type" });
    await expect(engine.submit({} as never, null)).rejects.toMatchObject({ code: "unknown_type" });
    const client = world.node({ tasks: [] });
    await client.engine.open();
    await expect(client.engine.submit("work", null)).rejects.toMatchObject({
      message: 'type: "work" has no handler here (none is known)',
    });
  });

  it("may be unknown to a client that only submits", async () => {
    const world = new World();
    const client = world.node({ tasks: [], allowUnknownTypes: true });
    await client.engine.open();
    const { task } = await client.engine.submit("elsewhere", { a: 1 }, { queue: "theirs", weight: 9 });
    expect(task).toMatchObject({ type: "elsewhere", queue: "theirs", weight: 9, maxRetries: null });
    expect((await client.engine.submit("elsewhere", null)).task.queue).toBe("default");
    await expect(client.engine.submit("", null)).rejects.toMatchObject({ code: "unknown_type" });
    await expect(client.engine.submit("elsewhere", null, { queue: "" })).rejects.toMatchObject({
      code: "unknown_queue",
    });
    const runner = await world.started({ tasks: [world.type("elsewhere", () => "ran", { queue: "theirs" })] });
    await world.settle();
    expect(await runner.engine.get(task.id)).toMatchObject({ state: "succeeded", result: "ran" });
  });

  it("gives weight, queue, retries and an id of its own", async () => {
    const { engine } = await setUp([
      {
        type: "close",
        queue: "orders",
        weight: "low",
        retry: { delays: ["1s", "2s"] },
        id: (payload: { orderId: number }) => `close-${payload.orderId}`,
        run: () => null,
      },
      { type: "decides", retry: { next: () => false }, run: () => null },
    ]);
    const first = await engine.submit("close", { orderId: 7 }, { delay: "1h" });
    expect(first).toMatchObject({
      created: true,
      task: { id: "close-7", queue: "orders", weight: 2, maxRetries: 2 },
    });
    expect(await engine.submit("close", { orderId: 7 })).toMatchObject({ created: false, task: { id: "close-7" } });
    expect((await engine.submit("close", { orderId: 7 }, { id: "own" })).task.id).toBe("own");
    expect((await engine.submit("decides", null)).task.maxRetries).toBeNull();
  });

  it.each<[what: string, id: () => unknown, message: RegExp]>([
    [
      "throws",
      () => {
        throw new Error("no order");
      },
      /^id: the id function of type close threw: no order$/,
    ],
    ["answers a number", () => 7, /^id \(from type close\): expected text/],
    ["answers nothing", () => undefined, /^id \(from type close\): expected text/],
  ])("whose id function %s refuses the submit", async (_what, id, message) => {
    const { engine } = await setUp([{ type: "close", id: id as () => string, run: () => null }]);
    await expect(engine.submit("close", {})).rejects.toMatchObject({
      code: "invalid_id",
      message: expect.stringMatching(message),
    });
  });
});

describe("a submit's payload", () => {
  it("is checked as a handler will read it, and stored as it was given", async () => {
    const seen: unknown[] = [];
    const { engine, world } = await setUp([
      {
        type: "dated",
        validate: (payload) => {
          seen.push(payload);
          return { at: new Date((payload as { at: string }).at) };
        },
        id: ({ at }: { at: Date }) => `at-${at.getTime()}`,
        run: ({ at }: { at: Date }) => at.getTime(),
      },
    ]);
    const { task } = await engine.submit("dated", { at: new Date(5_000) });
    expect(task).toMatchObject({ id: "at-5000", payload: { at: "1970-01-01T00:00:05.000Z" } });
    await world.settle();
    expect(seen).toEqual([task.payload, task.payload]);
    expect(await engine.result("at-5000")).toBe(5_000);
  });

  it.each<[what: string, validate: () => unknown, expected: object]>([
    [
      "throws",
      () => {
        throw new RangeError("too many");
      },
      { code: "invalid_payload", field: "payload", message: "payload: too many; type checked" },
    ],
    [
      "rejects",
      () => Promise.reject(new Error("")),
      { code: "invalid_payload", message: "payload: it was refused; type checked" },
    ],
    [
      "throws nothing at all",
      () => {
        throw undefined;
      },
      { code: "invalid_payload", message: "payload: it was refused; type checked" },
    ],
    [
      "names the place",
      () => {
        throw new GivewayError("invalid_payload", "payload.a[2]: too long (and 3 more)", { field: "payload.a[2]" });
      },
      { code: "invalid_payload", field: "payload.a[2]", message: "payload.a[2]: too long (and 3 more)" },
    ],
  ])("whose check %s is invalid_payload", async (_what, validate, expected) => {
    const { engine } = await setUp([{ type: "checked", validate, run: () => null }]);
    await expect(engine.submit("checked", {})).rejects.toMatchObject(expected);
    expect((await engine.find()).items).toEqual([]);
  });

  it("is taken at the call: what its caller does to the object later does not count", async () => {
    const { engine } = await setUp([{ type: "slow", validate: async (payload) => payload, run: () => null }]);
    const payload = { n: 1 };
    const submits = [engine.submit("slow", payload), engine.submit("work", payload, { delay: "1h" })];
    payload.n = 2;
    expect((await Promise.all(submits)).map(({ task }) => task.payload)).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it("keeps to the bound that was set", async () => {
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()], maxPayload: 10 });
    expect((await node.engine.submit("sleep", "12345678")).created).toBe(true);
    await expect(node.engine.submit("sleep", "123456789")).rejects.toMatchObject({ code: "payload_too_large" });
    await expect(node.engine.submit("sleep", "ééééé")).rejects.toMatchObject({ code: "payload_too_large" });
  });
});
