import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../src/index.ts";
import { MAX_SLEEP } from "../src/time/system-clock.ts";
import { TimerService } from "../src/time/timer-service.ts";

const DAY = 86_400_000;

function service(clock: VirtualClock) {
  const late: number[] = [];
  const failures: unknown[] = [];
  const timers = new TimerService({
    clock,
    measure: { committed: () => undefined, timerLate: (ms) => late.push(ms) },
    failed: (error) => failures.push(error),
  });
  return { timers, late, failures };
}

describe("TimerService", () => {
  it("fires in order of due time, each at its own moment", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 60 }), async (delays) => {
        const clock = new VirtualClock();
        const { timers } = service(clock);
        const fired: { readonly delay: number; readonly at: number }[] = [];
        for (const delay of delays) {
          timers.after(delay, { timerFired: () => fired.push({ delay, at: clock.monotonic() }) });
        }
        await clock.advance(300_001);
        expect(fired.map(({ delay }) => delay)).toEqual([...delays].sort((one, other) => one - other));
        for (const { delay, at } of fired) expect(at).toBe(Math.max(1, delay));
      }),
      { numRuns: 50 },
    );
  });

  it("arms one timer of the clock however many wait, and none when nothing does", async () => {
    const clock = new VirtualClock();
    const { timers } = service(clock);
    expect(clock.timers).toBe(0);
    for (let n = 1; n <= 10_000; n += 1) timers.after(n * 7, { timerFired: () => undefined });
    expect(clock.timers).toBe(1);
    await clock.advance(70_000);
    expect(clock.timers).toBe(0);
    expect(timers.size).toBe(0);
  });

  it("waits for 400 days in sleeps of a minute at most (V-13)", async () => {
    const clock = new VirtualClock();
    const { timers } = service(clock);
    let firedAt = 0;
    timers.after(400 * DAY, { timerFired: () => (firedAt = clock.monotonic()) });
    await clock.advance(DAY);
    expect(firedAt).toBe(0);
    expect(clock.longestSleep).toBe(MAX_SLEEP);
  });

  it("does not believe a timer of the clock that fires early", async () => {
    const clock = new VirtualClock();
    const early = Object.create(clock, {
      setTimer: { value: (callback: () => void, ms: number) => clock.setTimer(callback, Math.max(1, ms - 3)) },
      monotonic: { value: () => clock.monotonic() },
    }) as VirtualClock;
    const { timers } = service(early);
    let firedAt = 0;
    timers.after(100, { timerFired: () => (firedAt = clock.monotonic()) });
    await clock.advance(99);
    expect(firedAt).toBe(0);
    await clock.advance(5);
    expect(firedAt).toBeGreaterThanOrEqual(100);
  });

  it("lets one that throws not keep the others from firing", async () => {
    const clock = new VirtualClock();
    const { timers, failures } = service(clock);
    const fired: string[] = [];
    timers.after(5, {
      timerFired: () => {
        throw new Error("bad");
      },
    });
    timers.after(5, { timerFired: () => fired.push("same ms") });
    timers.after(6, { timerFired: () => fired.push("next ms") });
    await clock.advance(10);
    expect(fired).toEqual(["same ms", "next ms"]);
    expect(failures).toHaveLength(1);
  });

  it("fires what was cancelled or closed never, and leaves no timer behind", async () => {
    const clock = new VirtualClock();
    const { timers } = service(clock);
    let fired = 0;
    const count = { timerFired: () => (fired += 1) };
    timers.cancel(timers.after(10, count));
    timers.after(20, count);
    await clock.advance(15);
    timers.close();
    expect(clock.timers).toBe(0);
    await clock.advance(100);
    expect(fired).toBe(0);
  });

  it("tells how late a timer fired", async () => {
    const clock = new VirtualClock();
    const { timers, late } = service(clock);
    timers.after(10, {
      timerFired: () => undefined,
    });
    // A loop that was blocked: the clock's timer comes long after the moment it was armed for.
    const blocked = clock.monotonic;
    clock.monotonic = () => blocked.call(clock) + 40;
    await clock.advance(10);
    expect(late).toEqual([40]);
  });
});

describe("VirtualClock", () => {
  it("runs timers in order and lets what they lead to settle in between", async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.setTimer(() => {
      seen.push("timer 10");
      void Promise.resolve().then(() => seen.push("promise of 10"));
      clock.setImmediate(() => {
        seen.push("immediate of 10");
        clock.setTimer(() => seen.push("timer 12"), 2);
      });
    }, 10);
    clock.setTimer(() => seen.push("timer 11"), 11);
    await clock.advance(20);
    expect(seen).toEqual(["timer 10", "promise of 10", "immediate of 10", "timer 11", "timer 12"]);
    expect(clock.monotonic()).toBe(20);
  });

  it("jumps the wall clock alone", async () => {
    const clock = new VirtualClock({ start: 1_000 });
    clock.jump(-400);
    await clock.advance(5);
    expect(clock.now()).toBe(605);
    expect(clock.monotonic()).toBe(5);
  });

  it("sleeps until its moment or its signal", async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const slept: string[] = [];
    void clock.sleep(10).then(() => slept.push("slept"));
    void clock.sleep(50, controller.signal).catch((reason: unknown) => slept.push(String(reason)));
    await clock.advance(10);
    controller.abort("woken");
    await clock.settle();
    expect(slept).toEqual(["slept", "woken"]);
    expect(clock.timers).toBe(0);
  });

  it("says so where an awaited state does not come", async () => {
    const clock = new VirtualClock();
    await expect(clock.advanceUntil(() => false, 1_000)).rejects.toThrow("did not come within 1000 virtual ms");
  });
});
