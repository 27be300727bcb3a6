import { execFileSync } from "node:child_process";
import { DEFAULT_RETRY, GivewayError, queueName, RetryAfterError, seededRandom, typeName } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import type { CompiledType } from "../src/config/compiled.ts";
import { RateMeter } from "../src/dispatch/rate-meter.ts";
import { StartBudget } from "../src/dispatch/start-budget.ts";
import { VirtualClock } from "../src/index.ts";
import { AttemptLog, MAX_LINE, MAX_LINES } from "../src/pools/attempt-log.ts";
import { judgeFailure } from "../src/pools/failure.ts";
import { TypePool } from "../src/pools/type-pool.ts";
import { keepingLogger } from "./support/logger.ts";

function compiled(concurrency: number | null): CompiledType {
  return {
    type: typeName("mail"),
    queue: queueName("default"),
    weight: 5,
    timeout: 60_000,
    concurrency,
    retry: { spec: DEFAULT_RETRY, next: null, retryable: null },
    deriveId: null,
    validate: null,
    run: () => undefined,
  };
}

function gate() {
  const events: string[] = [];
  return { events, closeStream: () => events.push("close"), openStream: () => events.push("open") };
}

describe("TypePool", () => {
  it("closes the stream with the last permit and opens it with the first one given back", () => {
    const pool = new TypePool(compiled(null), 0);
    const queue = gate();
    pool.attach(queue);
    pool.configure(3, 2);
    expect(pool.bound).toBe(2);
    pool.acquire();
    expect(queue.events).toEqual([]);
    pool.acquire();
    expect(queue.events).toEqual(["close"]);
    pool.release();
    expect(queue.events).toEqual(["close", "open"]);
    expect(pool.room).toBe(1);
  });

  it("has no bound where its queue serves it alone, and the stated one wherever it is stated", () => {
    const alone = new TypePool(compiled(null), 0);
    alone.configure(2, 1);
    expect(alone.bound).toBe(Number.POSITIVE_INFINITY);
    const stated = new TypePool(compiled(7), 0);
    stated.configure(2, 1);
    expect(stated.bound).toBe(7);
  });

  it("stays closed while paused, whatever is given back", () => {
    const pool = new TypePool(compiled(null), 0);
    const queue = gate();
    pool.attach(queue);
    pool.configure(2, 1);
    pool.acquire();
    pool.pause(true);
    pool.release();
    expect(queue.events).toEqual(["close"]);
    pool.pause(false);
    expect(queue.events).toEqual(["close", "open"]);
  });

  it("stops when zombies fill the slots, says so once, and starts again when one settles", () => {
    const pool = new TypePool(compiled(null), 0);
    const queue = gate();
    pool.attach(queue);
    pool.configure(2, 1);
    for (let n = 0; n < 3; n += 1) pool.acquire();
    expect(pool.zombie()).toBe(false);
    expect(pool.zombie()).toBe(true);
    expect(pool.zombie()).toBe(false);
    expect(pool.stopped).toBe(true);
    expect(queue.events).toEqual(["close"]);
    expect(pool.laidToRest()).toBe(false);
    expect(pool.laidToRest()).toBe(true);
    expect(queue.events).toEqual(["close", "open"]);
    expect([pool.running, pool.zombies]).toEqual([1, 1]);
  });

  it("is stopped as well when zombies hold all permits of a smaller bound", () => {
    const pool = new TypePool(compiled(1), 0);
    pool.configure(4, 3);
    pool.acquire();
    expect(pool.zombie()).toBe(true);
  });
});

describe("RateMeter", () => {
  it("follows the pace within moments and forgets it after a silence", () => {
    const meter = new RateMeter(0);
    let now = 0;
    for (let tick = 0; tick < 20; tick += 1) {
      for (let n = 0; n < 50; n += 1) meter.count();
      now += 50;
      meter.perSecond(now);
    }
    expect(meter.perSecond(now)).toBeGreaterThan(990);
    expect(meter.perSecond(now + 1_000)).toBeLessThan(60);
    expect(meter.perSecond(now + 2_000)).toBe(0);
  });

  it("takes a few ends in a short while for no pace, and many for one", () => {
    const meter = new RateMeter(0);
    for (let n = 0; n < 5; n += 1) meter.count();
    expect(meter.perSecond(10)).toBe(0);
    for (let n = 0; n < 45; n += 1) meter.count();
    expect(meter.perSecond(10)).toBe(5_000);
  });

  it("says nothing before time has passed", () => {
    const meter = new RateMeter(100);
    for (let n = 0; n < 1_000; n += 1) meter.count();
    expect(meter.perSecond(100)).toBe(0);
  });
});

describe("StartBudget", () => {
  it("ends after some ms without a turn of the event loop, and asks for one", async () => {
    const clock = new VirtualClock();
    let turns = 0;
    const budget = new StartBudget(clock, () => {
      turns += 1;
    });
    for (let n = 0; n < 1_000; n += 1) expect(budget.spend()).toBe(true);
    await clock.advance(8);
    const starts = Array.from({ length: 64 }, () => budget.spend());
    expect(starts.filter(Boolean).length).toBeLessThan(32);
    expect(turns).toBe(1);
    budget.renew();
    expect(budget.spend()).toBe(true);
  });
});

describe("AttemptLog", () => {
  it("keeps 100 lines of 1 000 characters, storable, and says what it left out", () => {
    const logger = keepingLogger();
    const log = new AttemptLog(new VirtualClock(), logger, { id: "a" });
    log.info(`${"x".repeat(5_000)}\0`);
    log.warn("nul \0 and half \ud800 a pair", { n: 1 });
    for (let n = 0; n < 200; n += 1) log.debug(`line ${n}`);
    const lines = log.lines();
    expect(lines).toHaveLength(MAX_LINES);
    expect(lines[0]?.text).toHaveLength(MAX_LINE);
    expect(lines[1]?.text).toBe('nul \ufffd and half \ufffd a pair {"n":1}');
    expect(lines.at(-1)?.text).toBe("103 further lines were not kept");
    expect(logger.seen).toHaveLength(202);
    expect(logger.seen[1]).toEqual({ level: "warn", fields: { n: 1, id: "a" }, text: "nul \0 and half \ud800 a pair" });
  });

  it("takes fields that JSON can't hold, and text that is none", () => {
    const log = new AttemptLog(new VirtualClock(), keepingLogger(), {});
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    log.info("cycle", cycle);
    log.info(undefined as unknown as string);
    expect(log.lines().map(({ text }) => text)).toEqual(["cycle (fields that JSON can't hold)", "undefined"]);
  });
});

describe("judgeFailure", () => {
  const retry = compiled(null).retry;
  const judge = (thrown: unknown, retries: number, over: Partial<typeof retry> = {}) =>
    judgeFailure(thrown, { ...retry, ...over }, undefined, retries, 0, () => 0);

  it("goes by the schedule, then ends", () => {
    expect([0, 1, 2, 3].map((used) => judge(new Error("x"), used).delay)).toEqual([1_000, 5_000, 25_000, null]);
    expect(judge(new Error("x"), 3).reason).toBe("retries_exhausted");
  });

  it("ends at once what is not retryable", () => {
    const verdict = judge(Object.assign(new Error("gone"), { retryable: false }), 0);
    expect(verdict).toMatchObject({
      delay: null,
      reason: "not_retryable",
      error: { message: "gone", retryable: false },
    });
    expect(judge(new Error("x"), 0, { retryable: () => false }).delay).toBeNull();
  });

  it("takes the error's own delay within the retries there are", () => {
    expect(judge(new RetryAfterError("30s"), 0).delay).toBe(30_000);
    expect(judge(new RetryAfterError("30s"), 3).delay).toBeNull();
  });

  it("asks the type's function, and falls back on the schedule where that throws", () => {
    const bad = (): number => {
      throw new Error("policy");
    };
    expect(judge(new Error("x"), 7, { next: (_, used) => used * 10.5 }).delay).toBe(74);
    expect(judge(new Error("x"), 0, { next: () => null }).delay).toBeNull();
    expect(judge(new Error("x"), 0, { next: bad }).delay).toBe(1_000);
    expect(judge(new Error("x"), 3, { next: bad }).delay).toBeNull();
  });

  it("prefers the task's own schedule, and is never early", () => {
    const own = { kind: "list", delays: [200] } as const;
    const random = seededRandom(1);
    const { delay } = judgeFailure(new Error("x"), { ...retry, next: () => 9 }, own, 0, 0, random);
    expect(delay).toBeGreaterThanOrEqual(200);
    expect(delay).toBeLessThanOrEqual(220);
    expect(judgeFailure(new Error("x"), retry, own, 1, 0, random).delay).toBeNull();
  });

  it("gets along with whatever is thrown", () => {
    for (const thrown of [
      undefined,
      null,
      0,
      "text",
      {},
      Object.create(null),
      Symbol("s"),
      new GivewayError("internal", "x"),
    ]) {
      expect(judge(thrown, 0).error.message).not.toBe("");
    }
  });
});

describe("stray rejections (A11)", () => {
  const run = (body: string, flags: string[] = []): { readonly status: number; readonly out: string } => {
    const guard = new URL("../dist/pools/stray-rejections.js", import.meta.url).href;
    const source = `import { guardStrayRejections, ownedBy } from ${JSON.stringify(guard)};
      const owner = { strayRejection: (reason) => console.log("traced", String(reason)) };
      ${body}`;
    try {
      const out = execFileSync(process.execPath, [...flags, "--input-type=module", "-e", source], {
        encoding: "utf8",
        stdio: "pipe",
      });
      return { status: 0, out };
    } catch (error) {
      const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
      return { status, out: stdout + stderr };
    }
  };

  it("traces a late rejection to its handler, and the process lives", () => {
    const { status, out } = run(`guardStrayRejections();
      ownedBy(owner, () => { setTimeout(() => Promise.reject(new Error("late")), 1); });
      ownedBy(owner, async () => { Promise.reject("bare"); });
      setTimeout(() => console.log("alive"), 20);`);
    expect(status).toBe(0);
    expect(out.split("\n").filter(Boolean)).toEqual(["traced bare", "traced Error: late", "alive"]);
  });

  it("leaves the host's own rejections to end the process as they would without it", () => {
    const own = run(
      `guardStrayRejections(); Promise.reject(new Error("the host's own")); setTimeout(() => console.log("alive"), 20);`,
    );
    expect(own.status).not.toBe(0);
    expect(own.out).toContain("the host's own");
    expect(own.out).not.toContain("alive");
    const tolerated = run(
      `guardStrayRejections(); Promise.reject(new Error("x")); setTimeout(() => console.log("alive"), 20);`,
      ["--unhandled-rejections=warn"],
    );
    expect(tolerated.out).toContain("alive");
  });

  it("guards while at least one engine asks for it", () => {
    const { status, out } = run(`const one = guardStrayRejections(); const other = guardStrayRejections();
      one(); one();
      ownedBy(owner, async () => { Promise.reject("guarded"); });
      setTimeout(() => { other(); console.log("listeners", process.listenerCount("unhandledRejection")); }, 5);`);
    expect(status).toBe(0);
    expect(out).toContain("traced guarded");
    expect(out).toContain("listeners 0");
  });
});
