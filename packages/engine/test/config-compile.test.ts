import { GivewayError, queueName, seededRandom, typeName } from "@giveway/kernel";
import { createMemoryStore } from "@giveway/store/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileConfig } from "../src/config/compile-config.ts";
import { didYouMean, nearMatches } from "../src/config/near-match.ts";
import { type EngineOptions, VirtualClock } from "../src/index.ts";
import { keepingLogger } from "./support/logger.ts";

const base: EngineOptions = {
  store: createMemoryStore(),
  clock: new VirtualClock(),
  random: seededRandom(1),
  logger: keepingLogger(),
  tasks: [{ type: "close_order", queue: "orders", run: () => null }],
};

const compile = (more: object) => compileConfig({ ...base, ...more } as EngineOptions);
const withTask = (more: object) => compile({ tasks: [{ type: "t", run: () => null, ...more }] });
const withQueue = (orders: object) => compile({ queues: { orders } });

function refusal(call: () => unknown): GivewayError {
  try {
    call();
  } catch (error) {
    if (error instanceof GivewayError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("defaults", () => {
  it("are those of the reference", () => {
    const config = compile({});
    expect(config).toMatchObject({
      release: "0",
      stopTimeout: 25_000,
      keep: 7 * 86_400_000,
      remember: 30 * 86_400_000,
      maxPayload: 262_144,
      logFigures: 60_000,
      allowUnknownTypes: false,
    });
    expect(config.label).toMatch(/:\d+$/);
    expect(config.types.get(typeName("close_order"))).toMatchObject({
      queue: "orders",
      weight: 5,
      timeout: 60_000,
      concurrency: null,
      deriveId: null,
      validate: null,
      retry: { spec: { kind: "list", delays: [1_000, 5_000, 25_000] }, next: null, retryable: null },
    });
  });

  it("make every queue a type names, and always `default`", () => {
    const { queues } = compile({ queues: { mail: { slots: 2 } } });
    expect([...queues.keys()].toSorted()).toEqual(["default", "mail", "orders"]);
    expect(queues.get(queueName("orders"))).toMatchObject({
      policy: "express",
      slots: 4,
      burst: 8,
      burstFor: "express",
      share: 70,
      paused: false,
      steps: { standard: 5_000, express: 1_000 },
    });
    expect(queues.get(queueName("mail"))).toMatchObject({ slots: 2, burst: 4 });
  });
});

describe("a bad option is invalid_config naming its key", () => {
  it.each<[key: string, call: () => unknown]>([
    ["store", () => compile({ store: "sqlite" })],
    ["store.claim", () => compile({ store: { open() {}, insert() {} } })],
    ["clock.monotonic", () => compile({ clock: { now: () => 1 } })],
    ["logger.warn", () => compile({ logger: { debug() {}, info() {} } })],
    ["random", () => compile({ random: 4 })],
    ["tasks", () => compile({ tasks: { a: 1 } })],
    ["tasks[1]", () => compile({ tasks: [...base.tasks, null] })],
    ["tasks[0].type", () => compile({ tasks: [{ run: () => null }] })],
    ["tasks[0].type", () => compile({ tasks: [{ type: "a\nb", run: () => null }] })],
    ["tasks[0].type", () => compile({ tasks: [{ type: "x".repeat(201), run: () => null }] })],
    ["tasks.close_order", () => compile({ tasks: [...base.tasks, ...base.tasks] })],
    ["tasks.t.run", () => compile({ tasks: [{ type: "t" }] })],
    ["tasks.t.queue", () => withTask({ queue: " orders" })],
    ["tasks.t.weight", () => withTask({ weight: 0 })],
    ["tasks.t.timeout", () => withTask({ timeout: "1 minute" })],
    ["tasks.t.timeout", () => withTask({ timeout: 0 })],
    ["tasks.t.concurrency", () => withTask({ concurrency: 0 })],
    ["tasks.t.concurrency", () => withTask({ concurrency: 1.5 })],
    ["tasks.t.id", () => withTask({ id: "order" })],
    ["tasks.t.validate", () => withTask({ validate: {} })],
    ["tasks.t.retry", () => withTask({ retry: 3 })],
    ["tasks.t.retry.delays[1]", () => withTask({ retry: { delays: ["1s", "later"] } })],
    ["tasks.t.retry.exponential.base", () => withTask({ retry: { exponential: {} } })],
    ["tasks.t.retry.next", () => withTask({ retry: { next: 5 } })],
    ["tasks.t.retry", () => withTask({ retry: { next: () => false, delays: [] } })],
    ["tasks.t.retry.retryable", () => withTask({ retry: { retryable: true } })],
    ["queues", () => compile({ queues: [] })],
    ["queues.orders", () => compile({ queues: { orders: 4 } })],
    ["queues.orders.slots", () => withQueue({ slots: 0 })],
    ["queues.orders.slots", () => withQueue({ slots: "4" })],
    ["queues.orders.burst", () => withQueue({ slots: 4, burst: 3 })],
    ["queues.orders.burstFor", () => withQueue({ burstFor: "standard" })],
    ["queues.orders.share", () => withQueue({ share: 101 })],
    ["queues.orders.share", () => withQueue({ share: Number.NaN })],
    ["queues.orders.policy", () => withQueue({ policy: "fair" })],
    ["queues.orders.steps", () => withQueue({ steps: "5s" })],
    ["queues.orders.steps.express", () => withQueue({ steps: { express: 0 } })],
    ["label", () => compile({ label: "" })],
    ["release", () => compile({ release: 2 })],
    ["stopTimeout", () => compile({ stopTimeout: -1 })],
    ["retention.keep", () => compile({ retention: { keep: "a week" } })],
    ["maxPayload", () => compile({ maxPayload: 0 })],
    ["logFigures", () => compile({ logFigures: "never" })],
    ["allowUnknownTypes", () => compile({ allowUnknownTypes: "yes" })],
  ])("%s", (key, call) => {
    const error = refusal(call);
    expect(error).toMatchObject({ code: "invalid_config", field: key, retryable: false });
    expect(error.message).toMatch(new RegExp(`^${key.replace(/[[\].]/g, "\\$&")}: `));
    expect(error.message).not.toContain("\n");
  });

  it.each<[message: string, call: () => unknown]>([
    ["task: is not a known option; did you mean tasks?", () => compile({ task: [] })],
    ["queues.orders.slot: is not a known option; did you mean slots?", () => withQueue({ slot: 4 })],
    ["queues.orders.workers: is not a known option; did you mean slots?", () => withQueue({ workers: 4 })],
    [
      "queues.orders.steps.expres: is not a known option; did you mean express?",
      () => withQueue({ steps: { expres: 1 } }),
    ],
    ["tasks.t.priority: is not a known option; did you mean weight?", () => withTask({ priority: 1 })],
    ["tasks.t.retries: is not a known option; did you mean retry?", () => withTask({ retries: 1 })],
    ["retention.kepp: is not a known option; did you mean keep?", () => compile({ retention: { kepp: 1 } })],
    ["queues.orders.colour: is not a known option (known: slots,", () => withQueue({ colour: 1 })],
  ])("unknown: %s", (message, call) => {
    const error = refusal(call);
    expect(error.code).toBe("invalid_config");
    expect(error.message.slice(0, message.length)).toBe(message);
  });

  it("treats undefined as absent", () => {
    expect(compile({ label: "n", queues: { orders: { slots: undefined, share: undefined } } }).queues.size).toBe(2);
  });
});

describe("a type's own retry function", () => {
  const next = (decide: (error: unknown, retries: number) => unknown) =>
    withTask({ retry: { next: decide } }).types.get(typeName("t"))?.retry.next;

  it("answers a delay or false", () => {
    expect(next((_, retries) => (retries < 2 ? "3s" : false))?.(null, 1)).toBe(3_000);
    expect(next(() => false)?.(null, 0)).toBeNull();
  });

  it("that throws or answers nonsense leaves the decision to the default schedule", () => {
    const broken = next(() => {
      throw new Error("broken");
    });
    expect([0, 1, 2, 3].map((retries) => broken?.(null, retries))).toEqual([1_000, 5_000, 25_000, null]);
    expect(next(() => "soon")?.(null, 0)).toBe(1_000);
  });
});

describe("near matches", () => {
  it("find swapped, missing, doubled and wrong letters, nothing far away, and never cost much", () => {
    expect(nearMatches("wieght", ["weight", "when"])).toEqual(["weight"]);
    expect(nearMatches("timout", ["timeout"])).toEqual(["timeout"]);
    expect(nearMatches("close_ordr", ["close_order", "close_orders"])).toEqual(["close_order", "close_orders"]);
    expect(nearMatches("xyz", ["weight"])).toEqual([]);
    expect(nearMatches("x".repeat(1_000_000), ["x"])).toEqual([]);
    expect(didYouMean("CLOSE_ORDER", ["close_order"])).toBe("; did you mean close_order?");
  });

  it("always find a name with one letter changed", () => {
    const names = ["concurrency", "requestId", "onDuplicate", "deadline"];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(8), fc.constantFrom("q", "_", "Z"), (name, at, letter) => {
        const mistyped = name.slice(0, at % name.length) + letter + name.slice((at % name.length) + 1);
        expect(nearMatches(mistyped, names)).toContain(name);
      }),
    );
  });
});
