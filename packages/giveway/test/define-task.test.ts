import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineTask, type PayloadOf, type ResultOf, type Scheduler, type TaskContext } from "../src/index.ts";

const order = defineTask({
  type: "order",
  payload: z.object({ orderId: z.coerce.number(), note: z.string().default("none") }),
  id: (payload) => `order-${payload.orderId}`,
  run: async (payload, ctx) => {
    expectTypeOf(payload).toEqualTypeOf<{ orderId: number; note: string }>();
    expectTypeOf(ctx).toEqualTypeOf<TaskContext>();
    return { closed: payload.orderId > 0 };
  },
});

describe("defineTask infers both ends", () => {
  it("takes the payload as the schema takes it in, and hands on what the schema makes of it", () => {
    expectTypeOf<PayloadOf<typeof order>>().toEqualTypeOf<{ orderId: unknown; note?: string | undefined }>();
    expectTypeOf<ResultOf<typeof order>>().toEqualTypeOf<{ closed: boolean }>();
  });

  it("types submit and result", () => {
    const use = async (scheduler: Scheduler): Promise<void> => {
      const { task } = await scheduler.submit(order, { orderId: 1 });
      expectTypeOf(await scheduler.result(task.id)).toEqualTypeOf<{ closed: boolean }>();
      // @ts-expect-error the note is a text
      await scheduler.submit(order, { orderId: 1, note: 2 });
      // @ts-expect-error no such option
      await scheduler.submit(order, { orderId: 1 }, { prio: 3 });
    };
    expect(use).toBeTypeOf("function");
  });

  it("needs no schema, and a handler that returns nothing is fine", () => {
    const plain = defineTask({ type: "plain", run: () => {} });
    expect(plain.schema).toBeUndefined();
    expect(Object.isFrozen(plain)).toBe(true);
  });
});

describe("defineTask refuses at once what can't be a type", () => {
  const run = (): void => {};
  it.each([
    [undefined, "task"],
    [{ run }, "type"],
    [{ type: "", run }, "type"],
    [{ type: "x" }, "run"],
    [{ type: "x", run, payload: { parse: run } }, "payload"],
    [{ type: "x", run, payload: null }, "payload"],
  ])("%j", (options, field) => {
    expect(() => defineTask(options as never)).toThrow(expect.objectContaining({ code: "invalid_config", field }));
  });
});
