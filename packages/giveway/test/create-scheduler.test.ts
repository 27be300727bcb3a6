import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createScheduler,
  defineTask,
  GivewayError,
  type LogLevel,
  loggerFrom,
  openLedger,
  type Scheduler,
  stopOnSignals,
} from "../src/index.ts";

const double = defineTask({
  type: "double",
  payload: z.object({ n: z.number().int() }),
  run: ({ n }) => n * 2,
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "giveway-front-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const stores = ["memory", "sqlite"] as const;
const location = (store: (typeof stores)[number]): string =>
  store === "memory" ? "memory" : `sqlite:${join(folder, "tasks.db")}`;

describe.each(stores)("a scheduler on %s", (store) => {
  it("takes submits before it starts, runs them after", async () => {
    await using scheduler = await createScheduler({ store: location(store), tasks: [double], logger: false });
    const { task, created } = await scheduler.submit(double, { n: 21 });
    expect(created).toBe(true);
    expect((await scheduler.get(task.id))?.state).toBe("waiting");
    await scheduler.start();
    expect(await scheduler.result(task.id, { timeout: "10s" })).toBe(42);
  });

  it("checks the payload at submit and names the place (A10)", async () => {
    await using scheduler = await createScheduler({ store: location(store), tasks: [double], logger: false });
    await expect(scheduler.submit(double, { n: 1.5 })).rejects.toMatchObject({
      code: "invalid_payload",
      field: "payload.n",
      retryable: false,
    });
    await expect(scheduler.submit("double", "text")).rejects.toMatchObject({ code: "invalid_payload" });
    await expect(scheduler.submit("dobule", { n: 1 })).rejects.toThrow(/double/);
    expect((await scheduler.find()).items).toEqual([]);
  });

  it("submits many with one answer each, by definition or by name", async () => {
    await using scheduler = await createScheduler({ store: location(store), tasks: [double], logger: false });
    const answers = await scheduler.submitMany([
      { type: double, payload: { n: 1 }, id: "a" },
      { type: "double", payload: { n: "two" } },
      { type: "double", payload: { n: 1 }, id: "a" },
    ]);
    expect(answers).toMatchObject([{ created: true }, { error: { code: "invalid_payload" } }, { created: false }]);
  });

  it("gives its figures to the host program (A13)", async () => {
    await using scheduler = await createScheduler({ store: location(store), tasks: [double], logger: false });
    await scheduler.start();
    const { task } = await scheduler.submit(double, { n: 1 });
    await scheduler.result(task.id, { timeout: "10s" });
    const { families } = await scheduler.metrics();
    const attempts = families.find((family) => family.name === "attempts_total");
    expect(attempts?.samples).toEqual([
      { labels: { queue: "default", type: "double", outcome: "succeeded" }, value: 1 },
    ]);
    expect(await scheduler.stats()).toMatchObject({ backlog: 0, succeeded: 1, successRate: 1 });
  });
});

describe("a ledger on disk", () => {
  it("outlives its scheduler", async () => {
    const first = await createScheduler({ store: location("sqlite"), tasks: [double], logger: false });
    const { task } = await first.submit(double, { n: 4 }, { id: "kept" });
    await first.stop();
    await expect(first.submit(double, { n: 5 })).rejects.toMatchObject({ code: "stopped" });
    await using second = await createScheduler({ store: location("sqlite"), tasks: [double], logger: false });
    await second.start();
    expect(await second.result(task.id, { timeout: "10s" })).toBe(8);
  });

  it("takes submits from a client without handlers; the node that has them checks", async () => {
    await using client = await createScheduler({ store: location("sqlite"), logger: false });
    await client.submit("double", { n: 2 }, { id: "good" });
    await client.submit("double", { n: "bad" }, { id: "bad" });
    await using node = await createScheduler({ store: location("sqlite"), tasks: [double], logger: false });
    await node.start();
    expect(await node.result("good", { timeout: "10s" })).toBe(4);
    await expect(node.result("bad", { timeout: "10s" })).rejects.toMatchObject({ code: "task_dead" });
    expect(await node.get("bad")).toMatchObject({ state: "dead", endReason: "invalid_payload", attempt: 1 });
  });
});

describe("options are checked once, naming the key", () => {
  it.each([
    [{ store: "oracle:x" }, "store"],
    [{ store: "sqlite:" }, "store"],
    [{ store: "sqlite::memory:" }, "store"],
    [{ store: undefined }, "store"],
    [{ store: "memory", logger: "loud" }, "logger"],
    [{ store: "memory", tasks: [double, double] }, expect.stringContaining("tasks")],
    [{ store: "memory", queues: { default: { slots: 0 } } }, "queues.default.slots"],
    [{ store: "memory", queues: { default: { share: 101 } } }, "queues.default.share"],
    [{ store: "memory", queus: {} }, expect.anything()],
  ])("%j", async (options, field) => {
    await expect(createScheduler(options as never)).rejects.toMatchObject({ code: "invalid_config", field });
  });

  it("a tool asks for an existing ledger and makes none", () => {
    expect(() => openLedger(`sqlite:${join(folder, "none.db")}`, { existing: true })).toThrow(GivewayError);
  });
});

describe("the logger", () => {
  it("is the given one, silence, or pino at a level", () => {
    const own = { debug() {}, info() {}, warn() {}, error() {} };
    expect(loggerFrom(own)).toBe(own);
    expect(loggerFrom(false).isLevelEnabled?.("error")).toBe(false);
    for (const level of ["debug", "info", "warn", "error"] satisfies LogLevel[]) {
      expect(loggerFrom(level).isLevelEnabled?.(level)).toBe(true);
    }
    expect(loggerFrom("warn").isLevelEnabled?.("info")).toBe(false);
  });
});

describe("stopOnSignals", () => {
  it("stops at the first signal, forces at the second, and takes its handlers off again", async () => {
    const calls: unknown[] = [];
    let release: () => void = () => {};
    const stopping = new Promise<void>((resolve) => {
      release = resolve;
    });
    const scheduler: Pick<Scheduler, "stop"> = {
      stop: async (options) => {
        calls.push(options);
        await stopping;
        return { finished: 0, released: 0, abandoned: 0 };
      },
    };
    const before = process.listenerCount("SIGTERM");
    const stopped = new Promise<void>((resolve) => {
      stopOnSignals(scheduler, { timeout: "3s", onStopped: resolve });
    });
    process.emit("SIGTERM");
    process.emit("SIGTERM");
    expect(calls).toEqual([{ timeout: "3s" }, { timeout: 0 }]);
    release();
    await stopped;
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });
});
