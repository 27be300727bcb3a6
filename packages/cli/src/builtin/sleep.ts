import { setTimeout as delay } from "node:timers/promises";
import { defineTask } from "giveway";
import { z } from "zod";

const STEP_MS = 10;
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** Built-in type for trying out: takes `ms` in steps of 10 ms, ends early when its signal fires. Its time-out is `ms` + 10 s. */
export const sleep = defineTask({
  type: "sleep",
  payload: z.object({ ms: z.number().int().min(0).max(LONGEST_MS) }),
  timeout: LONGEST_MS,
  async run({ ms }, ctx) {
    ctx.extend(ms + 10_000);
    const end = performance.now() + ms;
    while (performance.now() < end) {
      ctx.signal.throwIfAborted();
      await delay(Math.min(STEP_MS, Math.max(1, end - performance.now())));
    }
    return { slept: ms };
  },
});
