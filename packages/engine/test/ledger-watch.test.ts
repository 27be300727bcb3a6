import { GivewayError } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { LedgerWatch } from "../src/dispatch/ledger-watch.ts";
import { VirtualClock } from "../src/index.ts";
import { TimerService } from "../src/time/timer-service.ts";
import { keepingLogger } from "./support/logger.ts";

function watching() {
  const clock = new VirtualClock();
  const logger = keepingLogger();
  const resumed: number[] = [];
  const fatal: Error[] = [];
  const timers = new TimerService({
    clock,
    measure: { committed: () => undefined, timerLate: () => undefined },
    failed: (error) => {
      throw error;
    },
  });
  const watch = new LedgerWatch({
    clock,
    timers,
    logger,
    resume: () => resumed.push(clock.monotonic()),
    fatal: (error) => fatal.push(error),
  });
  return { clock, logger, resumed, fatal, watch };
}

const busy = new GivewayError("ledger_busy", "locked");

describe("LedgerWatch", () => {
  it("logs one line a second at any rate of errors, and says how many it left out (V-39)", async () => {
    const { clock, logger, watch } = watching();
    for (let second = 0; second < 3; second += 1) {
      for (let n = 0; n < 100; n += 1) watch.failed("settle", busy);
      await clock.advance(1_000);
    }
    expect(logger.seen.map(({ level, fields }) => [level, fields["unlogged"]])).toEqual([
      ["error", 0],
      ["error", 99],
      ["error", 99],
    ]);
  });

  it("tries again with growing pauses, and at once with short ones after a success", async () => {
    const { clock, resumed, watch } = watching();
    for (let n = 0; n < 9; n += 1) {
      watch.failed("claim", busy);
      expect(watch.pausing).toBe(true);
      await clock.advanceUntil(() => !watch.pausing);
    }
    const pauses = resumed.map((at, index) => at - (resumed[index - 1] ?? 0));
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    watch.succeeded();
    expect(watch.trouble).toBeNull();
    const before = clock.monotonic();
    watch.failed("claim", busy);
    await clock.advanceUntil(() => !watch.pausing);
    expect(clock.monotonic() - before).toBe(50);
  });

  it("takes what repeating can't help for the end, once it is not closing itself", async () => {
    const { fatal, watch, resumed, clock } = watching();
    watch.failed("settle", new GivewayError("ledger_corrupt", "page 7"));
    expect(fatal.map(({ message }) => message)).toEqual(["page 7"]);
    watch.close();
    watch.failed("settle", new GivewayError("ledger_closed", "closed"));
    await clock.advance(10_000);
    expect(fatal).toHaveLength(1);
    expect(resumed).toEqual([]);
  });
});
