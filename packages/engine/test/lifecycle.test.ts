import { RetryAfterError } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { forever, World } from "./support/world.ts";

describe("a task's life", () => {
  it("succeeds with its result", async () => {
    const world = new World();
    const { engine, eventsOf } = await world.started({
      tasks: [world.type("add", (payload) => ({ sum: Number(payload["a"]) + Number(payload["b"]) }))],
    });
    const { task, created } = await engine.submit("add", { a: 2, b: 3 }, { name: "two and three" });
    expect(created).toBe(true);
    expect(await engine.result(task.id)).toEqual({ sum: 5 });
    const ended = await engine.get(task.id);
    expect(ended).toMatchObject({
      state: "succeeded",
      attempt: 1,
      retries: 0,
      endReason: "succeeded",
      name: "two and three",
    });
    expect(eventsOf(task.id)).toEqual(["submitted", "started", "succeeded"]);
    await world.stop({ engine });
  });

  it("retries after 1 s, 5 s and 25 s, never early, holding no slot, and then is dead with its history (A9, C7)", async () => {
    const world = new World();
    const at: number[] = [];
    const fail = world.type("fail", () => {
      at.push(world.clock.monotonic());
      throw new Error(`failure ${at.length}`);
    });
    const node = await world.started({ tasks: [fail, world.sleeper()], queues: { default: { slots: 1, burst: 1 } } });
    const { task } = await node.engine.submit("fail", {});
    await world.clock.advance(500);
    expect((await node.engine.get(task.id))?.view).toBe("retrying");
    expect(node.engine.slots()).toEqual([]);
    await node.engine.submit("sleep", {}, { id: "meanwhile" });
    await world.settle();
    expect(world.starts).toContain("meanwhile");
    await world.clock.advance(60_000);
    const waits = at.slice(1).map((moment, index) => moment - at[index]!);
    for (const [index, least] of [1_000, 5_000, 25_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least);
      expect(waits[index]).toBeLessThanOrEqual(least * 1.1 + 1);
    }
    expect(waits).toHaveLength(3);
    expect(await node.engine.get(task.id)).toMatchObject({
      state: "dead",
      attempt: 4,
      retries: 3,
      endReason: "retries_exhausted",
    });
    const { attempts } = await node.engine.history(task.id);
    expect(attempts.map(({ outcome, error }) => [outcome, error?.message])).toEqual(
      [1, 2, 3, 4].map((n) => ["failed", `failure ${n}`]),
    );
    const pair = ["failed", "retrying", "started"];
    expect(node.eventsOf(task.id)).toEqual(["submitted", "started", ...pair, ...pair, ...pair, "failed", "dead"]);
    await world.stop(node);
  });

  it("is dead at once where a retry can't help (A10)", async () => {
    const world = new World();
    const { engine } = await world.started({
      tasks: [
        world.type("own word", () => {
          throw Object.assign(new Error("wrong state"), { retryable: false });
        }),
        world.type(
          "rule",
          () => {
            throw new Error("gone");
          },
          { retry: { retryable: () => false } },
        ),
      ],
    });
    for (const type of ["own word", "rule"]) {
      const { task } = await engine.submit(type, {});
      await world.settle();
      expect(await engine.get(task.id)).toMatchObject({ state: "dead", endReason: "not_retryable", attempt: 1 });
    }
    await world.stop({ engine });
  });

  it("takes the error's word on when to try again", async () => {
    const world = new World();
    let runs = 0;
    const busy = world.type("busy", () => {
      runs += 1;
      if (runs === 1) throw new RetryAfterError("42s");
      return "done";
    });
    const { engine } = await world.started({ tasks: [busy] });
    const { task } = await engine.submit("busy", {});
    await world.clock.advance(41_999);
    expect(runs).toBe(1);
    await world.clock.advance(2);
    expect(await engine.result(task.id)).toBe("done");
    await world.stop({ engine });
  });

  it("is checked again before it runs, and dead at once where it fails there", async () => {
    const world = new World();
    let strict = false;
    const validate = (payload: unknown): unknown => {
      if (strict) throw new Error("orderId: expected a number");
      return payload;
    };
    const later = async (payload: unknown): Promise<unknown> => validate(payload);
    const { engine } = await world.started({
      tasks: [world.sleeper("sync", { validate }), world.sleeper("async", { validate: later })],
    });
    const ids: string[] = [];
    for (const type of ["sync", "async"]) ids.push((await engine.submit(type, {}, { delay: "1s" })).task.id);
    strict = true;
    await world.clock.advance(1_500);
    for (const id of ids) {
      const task = await engine.get(id);
      expect(task).toMatchObject({
        state: "dead",
        endReason: "invalid_payload",
        lastError: { message: "orderId: expected a number" },
      });
    }
    expect(world.starts).toEqual([]);
    await world.stop({ engine });
  });

  it("hands the handler what the check made of the payload", async () => {
    const world = new World();
    const validate = async (payload: unknown) => ({ n: (payload as { n: number }).n * 2 });
    const { engine } = await world.started({ tasks: [world.type("double", (payload) => payload["n"], { validate })] });
    const { task } = await engine.submit("double", { n: 21 });
    // Once at submit, where it is stored as given, and once before the run.
    expect(await engine.result(task.id)).toBe(42);
    await world.stop({ engine });
  });

  it("is cancelled as expired where it could not start in time", async () => {
    const world = new World();
    const { engine, eventsOf } = await world.started({
      tasks: [world.sleeper()],
      queues: { default: { slots: 1, burst: 1 } },
    });
    await engine.submit("sleep", { ms: 10_000 });
    const expires = new Date(world.clock.now() + 5_000);
    const { task } = await engine.submit("sleep", {}, { expires });
    await world.clock.advance(11_000);
    expect(await engine.get(task.id)).toMatchObject({ state: "cancelled", endReason: "expired", attempt: 0 });
    expect(eventsOf(task.id)).toEqual(["submitted", "cancelled"]);
    expect(world.starts).toHaveLength(1);
    await world.stop({ engine });
  });

  it("puts itself off without failing (V-25), also where the handler swallows that", async () => {
    const world = new World();
    let runs = 0;
    const wait = world.type("wait", (_, ctx) => {
      runs += 1;
      if (runs === 1200) throw new Error("first real failure");
      if (runs > 1200) return "done";
      try {
        ctx.snooze("1m");
      } catch (error) {
        if (runs % 2 === 0) throw error;
      }
      return "not this";
    });
    const node = await world.started({ tasks: [{ ...wait, retry: { delays: ["10s", "10s"] } }] });
    const { task } = await node.engine.submit("wait", {});
    await world.clock.advance(1_199 * 60_000 + 500);
    expect(runs).toBe(1200);
    const failed = await node.engine.get(task.id);
    expect(failed).toMatchObject({ view: "retrying", retries: 1, attempt: 1200 });
    await world.clock.advance(9_000);
    expect(runs).toBe(1200);
    await world.clock.advance(2_500);
    expect(await node.engine.result(task.id)).toBe("done");
    expect(node.eventsOf(task.id).filter((kind) => kind === "snoozed")).toHaveLength(1199);
    await world.stop(node);
  });

  it("keeps progress and log lines with the attempt", async () => {
    const world = new World();
    const work = world.type("work", async (_, ctx) => {
      const { log, progress } = ctx;
      log.info("half way", { step: 1 });
      progress({ done: 50 });
      await world.clock.sleep(100);
      progress({ done: 60 });
      progress({ done: 70 });
      await world.clock.sleep(100);
      log.warn("nearly");
    });
    const node = await world.started({ tasks: [work] });
    const { task } = await node.engine.submit("work", {});
    await world.settle();
    expect((await node.engine.get(task.id))?.progress).toEqual({ done: 50 });
    await world.clock.advance(150);
    expect((await node.engine.get(task.id))?.progress).toEqual({ done: 70 });
    await world.clock.advance(100);
    const { attempts } = await node.engine.history(task.id);
    expect(attempts[0]?.log.map(({ level, text }) => [level, text])).toEqual([
      ["info", 'half way {"step":1}'],
      ["warn", "nearly"],
    ]);
    expect(node.eventsOf(task.id).filter((kind) => kind === "progress")).toHaveLength(2);
    await world.stop(node);
  });

  it("tells a handler that calls its context after the end", async () => {
    const world = new World();
    const errors: unknown[] = [];
    const leaky = world.type("leaky", (_, ctx) => {
      void world.clock.sleep(10).then(() => {
        for (const call of [() => ctx.progress(1), () => ctx.extend("1s"), () => ctx.snooze("1s")]) {
          try {
            call();
          } catch (error) {
            errors.push((error as { code: string }).code);
          }
        }
      });
    });
    const { engine } = await world.started({ tasks: [leaky] });
    await engine.submit("leaky", {});
    await world.clock.advance(20);
    expect(errors).toEqual(["attempt_over", "attempt_over", "attempt_over"]);
    await world.stop({ engine });
  });

  it("submits further tasks from within", async () => {
    const world = new World();
    const parent = world.type(
      "parent",
      async (_, ctx) => (await ctx.submit("child", { from: ctx.id }, { id: "child-1" })).created,
    );
    const child = world.type("child", (payload) => payload["from"] as string);
    const { engine } = await world.started({ tasks: [parent, child] });
    await engine.submit("parent", {}, { id: "parent-1" });
    expect(await engine.result("parent-1")).toBe(true);
    expect(await engine.result("child-1")).toBe("parent-1");
    await world.stop({ engine });
  });
});

describe("whatever a handler throws or answers (A11, V-27, V-34)", () => {
  const cyclic = new Error("outer");
  Object.assign(cyclic, { cause: cyclic });
  const thrown: readonly (readonly [string, unknown])[] = [
    ["undefined", undefined],
    ["null", null],
    ["a number", 7],
    ["text", "just text"],
    ["an empty object", {}],
    ["an object without prototype", Object.create(null)],
    ["a frozen error", Object.freeze(new Error("frozen"))],
    ["an AggregateError", new AggregateError([new Error("one"), "two"], "several")],
    ["a circular cause chain", cyclic],
    ["a symbol", Symbol("odd")],
    [
      "a throwing getter",
      Object.defineProperty({}, "message", {
        get: () => {
          throw new Error("no");
        },
      }),
    ],
    [
      "a proxy",
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
        },
      ),
    ],
    ["a huge message with NUL", new Error(`\0${"x".repeat(100_000)}`)],
  ];

  it.each(thrown)("records %s as a failure with a reason, and goes on", async (_, value) => {
    const world = new World();
    const { engine } = await world.started({
      tasks: [
        world.type("sync", () => {
          throw value;
        }),
        world.type("async", async () => {
          throw value;
        }),
        world.sleeper(),
      ],
    });
    for (const type of ["sync", "async"]) {
      const { task } = await engine.submit(type, {}, { retry: { delays: [] } });
      await world.settle();
      const ended = await engine.get(task.id);
      expect(ended?.state).toBe("dead");
      expect(ended?.lastError?.message).not.toBe("");
      expect(JSON.stringify(ended?.lastError).length).toBeLessThan(40_000);
    }
    const { task } = await engine.submit("sleep", {});
    expect(await engine.result(task.id)).toEqual({ slept: 0 });
    await world.stop({ engine });
  });

  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const answers: readonly (readonly [string, unknown])[] = [
    ["undefined", undefined],
    ["a circular object", circular],
    ["a BigInt", 1n],
    ["NaN", Number.NaN],
    ["a Map", new Map([[1, 2]])],
    [
      "a throwing toJSON",
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
    ],
    ["a huge string", "x".repeat(1_000_000)],
    ["a half surrogate", "\ud800"],
    ["a function", () => 1],
  ];
  it.each(answers)("succeeds with %s as its answer, stored as far as it can be", async (_, value) => {
    const world = new World();
    const { engine } = await world.started({
      tasks: [world.type("odd", () => value), world.type("later", async () => value)],
    });
    for (const type of ["odd", "later"]) {
      const { task } = await engine.submit(type, {});
      await engine.result(task.id);
      expect((await engine.get(task.id))?.state).toBe("succeeded");
    }
    await world.stop({ engine });
  });

  it("ends an attempt once, however often its answer settles", async () => {
    const world = new World();
    const thenable = {
      // biome-ignore lint/suspicious/noThenProperty: the odd answer is what is tested
      then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
        resolve("first");
        resolve("second");
        reject(new Error("third"));
        throw new Error("fourth");
      },
    };
    const node = await world.started({ tasks: [world.type("twice", () => thenable)] });
    const { task } = await node.engine.submit("twice", {});
    expect(await node.engine.result(task.id)).toBe("first");
    expect(node.eventsOf(task.id)).toEqual(["submitted", "started", "succeeded"]);
    await world.stop(node);
  });
});

describe("time-outs (C15)", () => {
  it("signals, waits for the grace, ends the attempt and retries it; a zombie keeps its permit only", async () => {
    const world = new World();
    const signals: unknown[] = [];
    let release: () => void = () => undefined;
    const hang = world.type(
      "hang",
      (_, ctx) => {
        ctx.signal.addEventListener("abort", () => signals.push([world.clock.monotonic(), ctx.signal.reason.code]));
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
      { timeout: "10s", retry: { delays: [] } },
    );
    const node = await world.started({ tasks: [hang, world.sleeper()], queues: { default: { slots: 2, burst: 2 } } });
    const { task } = await node.engine.submit("hang", {});
    await world.clock.advance(14_999);
    expect(signals).toEqual([[10_000, "timed_out"]]);
    expect((await node.engine.get(task.id))?.state).toBe("running");
    await world.clock.advance(1);
    expect(await node.engine.get(task.id)).toMatchObject({
      state: "dead",
      lastOutcome: "timed_out",
      lastError: { code: "timed_out" },
    });
    expect(node.engine.slots()).toMatchObject([{ kind: "zombie", task: task.id }]);
    const queue = await node.engine.queue("default");
    expect(queue.types.find(({ type }) => type === "hang")).toMatchObject({ running: 1, zombies: 1, stopped: true });
    release();
    await world.settle();
    expect(node.engine.slots()).toEqual([]);
    expect(node.eventsOf(task.id)).toEqual([
      "submitted",
      "started",
      "type_stopped",
      "timed_out",
      "dead",
      "late_answer",
    ]);
    await world.stop(node);
  });

  it("accepts a success within the grace, and takes a failure there for the time-out it is", async () => {
    const world = new World();
    const late = world.type(
      "late",
      async (payload, ctx) => {
        await world.clock.sleep(1_500);
        if (payload["fail"] === true) throw ctx.signal.reason;
        return "just in time";
      },
      { timeout: "1s", retry: { delays: [] } },
    );
    const { engine } = await world.started({ tasks: [late] });
    const good = (await engine.submit("late", {})).task.id;
    const bad = (await engine.submit("late", { fail: true })).task.id;
    await world.clock.advance(1_600);
    expect(await engine.get(good)).toMatchObject({ state: "succeeded", result: "just in time" });
    expect(await engine.get(bad)).toMatchObject({ state: "dead", lastOutcome: "timed_out" });
    await world.stop({ engine });
  });

  it("lets a handler extend its time", async () => {
    const world = new World();
    const long = world.type(
      "long",
      async (_, ctx) => {
        for (let step = 0; step < 10; step += 1) {
          ctx.extend("1s");
          await world.clock.sleep(900, ctx.signal);
        }
        return "done";
      },
      { timeout: "1s" },
    );
    const { engine } = await world.started({ tasks: [long] });
    const { task } = await engine.submit("long", {});
    await world.clock.advance(9_100);
    expect(await engine.get(task.id)).toMatchObject({ state: "succeeded", attempt: 1 });
    await world.stop({ engine });
  });

  it("V-35: handlers that never end time out, and the others run", async () => {
    const world = new World();
    const hang = world.type("hang", forever, { timeout: "1s", concurrency: 2, retry: { delays: [] } });
    const node = await world.started({ tasks: [hang, world.sleeper()], queues: { default: { slots: 2, burst: 2 } } });
    const hung = [await node.engine.submit("hang", {}), await node.engine.submit("hang", {})];
    for (let n = 0; n < 10; n += 1) await node.engine.submit("sleep", { ms: 10 }, { id: `normal-${n}` });
    await world.clock.advance(3_000);
    for (let n = 0; n < 10; n += 1) expect((await node.engine.get(`normal-${n}`))?.state).toBe("succeeded");
    for (const { task } of hung) expect((await node.engine.get(task.id))?.lastOutcome).toBe("timed_out");
    const zombies = (await node.engine.metrics()).families.find(({ name }) => name === "zombies");
    expect(zombies?.samples).toContainEqual({ labels: { type: "hang" }, value: 2 });
    expect(node.logger.seen.some(({ level, fields }) => level === "error" && fields["event"] === "type_stopped")).toBe(
      true,
    );
    await node.engine.stop({ timeout: 0 });
  });

  it("starts a stopped type again once a zombie settles", async () => {
    const world = new World();
    const releases: (() => void)[] = [];
    const hang = world.type(
      "hang",
      (payload) => (payload["hang"] === true ? new Promise<void>((resolve) => releases.push(resolve)) : "ok"),
      { timeout: "1s", retry: { delays: [] } },
    );
    const node = await world.started({ tasks: [hang], queues: { default: { slots: 1, burst: 1 } } });
    await node.engine.submit("hang", { hang: true });
    await world.clock.advance(2_100);
    const { task } = await node.engine.submit("hang", {});
    await world.clock.advance(5_000);
    expect((await node.engine.get(task.id))?.state).toBe("waiting");
    releases[0]?.();
    await world.settle();
    expect((await node.engine.get(task.id))?.state).toBe("succeeded");
    await world.stop(node);
  });
});
