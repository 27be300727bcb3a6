import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTask } from "../src/index.ts";
import { createTestScheduler, runInline } from "../src/testing/index.ts";

describe("runInline", () => {
  const greet = defineTask({
    type: "greet",
    payload: z.object({ name: z.string() }),
    run: ({ name }, ctx) => {
      ctx.log.info(`greeting ${name}`);
      ctx.progress({ half: true });
      if (ctx.attempt > 1) throw new Error("again?");
      return `hello ${name}`;
    },
  });

  it("runs a handler right here and tells what it did", async () => {
    expect(await runInline(greet, { name: "Ada" })).toEqual({
      result: "hello Ada",
      log: [{ level: "info", text: "greeting Ada" }],
      progress: [{ half: true }],
      submitted: [],
    });
  });

  it("checks the payload, throws what the handler throws, and takes parts of the context", async () => {
    await expect(runInline(greet, { name: 1 as never })).rejects.toMatchObject({ code: "invalid_payload" });
    await expect(runInline(greet, { name: "Ada" }, { attempt: 2 })).rejects.toThrow("again?");
  });
});

describe("createTestScheduler", () => {
  it("lets weeks pass in no time, at the exact instants", async () => {
    const starts: number[] = [];
    const t = await createTestScheduler({
      tasks: [
        defineTask({
          type: "flaky",
          retry: { delays: ["1h", "1d"] },
          run: () => {
            starts.push(t.clock.now() - begin);
            throw new Error("no");
          },
        }),
      ],
    });
    const begin = t.clock.now();
    const { task } = await t.scheduler.submit("flaky", null, { delay: "7d" });
    await t.advance(7 * 86_400_000 - 1);
    expect(starts).toEqual([]);
    await t.waitFor(task.id, "dead", 30 * 86_400_000);
    expect(starts[0]).toBe(604_800_000);
    expect(starts).toHaveLength(3);
    const [, second = 0, third = 0] = starts;
    expect(second - 604_800_000).toBeGreaterThanOrEqual(3_600_000);
    expect(second - 604_800_000).toBeLessThanOrEqual(3_960_000);
    expect(third - second).toBeGreaterThanOrEqual(86_400_000);
    await t[Symbol.asyncDispose]();
  });

  it("runs until idle, the same way for the same seed", async () => {
    const run = async (seed: number): Promise<string[]> => {
      const order: string[] = [];
      const t = await createTestScheduler({
        seed,
        queues: { default: { slots: 1, burst: 1 } },
        tasks: [
          defineTask({
            type: "work",
            run: async (payload: unknown, ctx) => {
              order.push(ctx.id);
              await t.clock.sleep(10 * Number(payload));
            },
          }),
        ],
      });
      await t.scheduler.submitMany([1, 2, 3].map((n) => ({ type: "work", payload: n, weight: 2 * n })));
      await t.runUntilIdle();
      await t[Symbol.asyncDispose]();
      return order;
    };
    const first = await run(5);
    expect(first).toHaveLength(3);
    expect(await run(5)).toEqual(first);
  });

  it("says so when a state does not come", async () => {
    const t = await createTestScheduler({ tasks: [defineTask({ type: "work", run: () => {} })] });
    const { task } = await t.scheduler.submit("work", null, { delay: "2d" });
    await expect(t.waitFor(task.id, "succeeded", 86_400_000)).rejects.toThrow(/why/);
    await t[Symbol.asyncDispose]();
  });
});
