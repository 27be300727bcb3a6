import { GivewayError } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { bulkRequest, check, submitRequest } from "../src/index.ts";
import { findQuery } from "../src/schemas/find.ts";
import { queuePatch } from "../src/schemas/queue.ts";
import { batchRequest } from "../src/schemas/task.ts";

function errorFrom(schema: z.ZodType, value: unknown): Pick<GivewayError, "code" | "field" | "message"> {
  try {
    check(schema, value);
  } catch (error) {
    if (error instanceof GivewayError) return { code: error.code, field: error.field, message: error.message };
    throw error;
  }
  throw new Error("nothing was refused");
}

const task = (fields: object) => ({ type: "echo", ...fields });

describe("check", () => {
  it.each<[string, z.ZodType, unknown, string, string | undefined, string]>([
    ["no object", submitRequest, 3, "invalid_option", undefined, "the body: expected an object; got 3"],
    ["nothing", submitRequest, undefined, "invalid_option", undefined, "the body: expected an object; got nothing"],
    ["no type", submitRequest, {}, "invalid_option", "type", "type: expected a string; got nothing"],
    ["a number as type", submitRequest, { type: 3 }, "invalid_option", "type", "type: expected a string; got 3"],
    ["a typo", submitRequest, task({ dealy: "5s" }), "invalid_option", "dealy", "dealy: there is no such field here"],
    [
      "weight 11",
      submitRequest,
      task({ weight: 11 }),
      "invalid_weight",
      "weight",
      "weight: expected a whole number from 1 to 10 or low, normal, high, critical; got 11",
    ],
    [
      "weight urgent",
      submitRequest,
      task({ weight: "urgent" }),
      "invalid_weight",
      "weight",
      'weight: expected a whole number from 1 to 10 or low, normal, high, critical; got "urgent"',
    ],
    [
      "a list as delay",
      submitRequest,
      task({ delay: [] }),
      "invalid_duration",
      "delay",
      "delay: expected milliseconds or text such as 250ms, 5s, 15m, 2h, 1h30m; got a list",
    ],
    [
      "one bad retry delay",
      submitRequest,
      task({ retry: { delays: ["1s", true] } }),
      "invalid_duration",
      "retry.delays[1]",
      "retry.delays[1]: expected milliseconds or text such as 250ms, 5s, 15m, 2h, 1h30m; got true",
    ],
    [
      "true as date",
      submitRequest,
      task({ runAt: true }),
      "invalid_date",
      "runAt",
      "runAt: expected an ISO 8601 instant with zone or milliseconds since 1970; got true",
    ],
    ["a number as id", submitRequest, task({ id: 7 }), "invalid_id", "id", "id: expected a string; got 7"],
    ["NUL in a name", submitRequest, task({ name: "a\0b" }), "unstorable_value", "name", "name: holds a NUL character"],
    [
      "half a pair in a tag",
      submitRequest,
      task({ tags: ["fine", "\ud800"] }),
      "unstorable_value",
      "tags[1]",
      "tags[1]: holds half a surrogate pair",
    ],
    [
      "an unknown choice",
      submitRequest,
      task({ onDuplicate: "ignore" }),
      "invalid_option",
      "onDuplicate",
      'onDuplicate: expected return, reject, replace; got "ignore"',
    ],
    [
      "an unknown state",
      findQuery,
      { state: ["dead", "lost"] },
      "invalid_option",
      "state[1]",
      'state[1]: expected one of waiting, running, succeeded, dead, cancelled, delayed, retrying, dispatched, suspended, failed, timed_out; got "lost"',
    ],
    [
      "a limit of 0",
      findQuery,
      { limit: 0 },
      "invalid_option",
      "limit",
      "limit: expected a whole number from 1 to 1000; got 0",
    ],
    [
      "a limit of 1001",
      findQuery,
      { limit: 1001 },
      "invalid_option",
      "limit",
      "limit: expected a whole number from 1 to 1000; got 1001",
    ],
    [
      "a limit in words",
      findQuery,
      { limit: "many" },
      "invalid_option",
      "limit",
      'limit: expected a whole number from 1 to 1000; got "many"',
    ],
    [
      "a batch of nothing known",
      batchRequest,
      { jobs: [] },
      "invalid_option",
      undefined,
      'the body: expected {"tasks": […]} with 1 to 10000 items; got an object',
    ],
    ["2.5 slots", queuePatch, { slots: 2.5 }, "invalid_option", "slots", "slots: expected a whole number; got 2.5"],
    ["a share of 101", queuePatch, { share: 101 }, "invalid_option", "share", "share: expected at most 100; got 101"],
    [
      "a rate of 0",
      bulkRequest,
      { action: "redrive", rate: 0 },
      "invalid_option",
      "rate",
      "rate: expected at least 0.001; got 0",
    ],
    [
      "an action of later",
      bulkRequest,
      { action: "explode" },
      "invalid_option",
      "action",
      'action: expected redrive; got "explode"',
    ],
    [
      "an empty batch",
      batchRequest,
      { tasks: [] },
      "invalid_option",
      "tasks",
      "tasks: expected at least 1 items; got a list",
    ],
  ])("refuses %s in one line with code and field", (_, schema, value, code, field, message) => {
    expect(errorFrom(schema, value)).toEqual({ code, field, message });
  });

  it("cuts long values short", () => {
    expect(errorFrom(submitRequest, task({ weight: "x".repeat(500) })).message.length).toBeLessThan(200);
  });

  it("passes what is right, and passes payloads by reference", () => {
    const payload = { deep: [1, { two: "\0 is for the engine to refuse" }] };
    const value = { type: "echo", payload, weight: "high", delay: 250, retry: { exponential: { base: "500ms" } } };
    const checked = check(submitRequest, value);
    expect(checked).toEqual(value);
    expect(checked.payload).toBe(payload);
    expect(check(submitRequest, { type: "echo" })).toEqual({ type: "echo" });
  });

  it("takes a batch under either name or bare", () => {
    for (const batch of [{ tasks: [1] }, { items: [1] }, [1]]) expect(check(batchRequest, batch)).toEqual(batch);
  });
});
