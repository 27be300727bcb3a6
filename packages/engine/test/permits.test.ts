import { describe, expect, it } from "vitest";
import { World } from "./support/world.ts";

describe("type permits leave standard its part (section 4)", () => {
  it.each([undefined, 4])(
    "an unbroken stream of express tasks starves nobody, with a stated bound of %s",
    async (concurrency) => {
      const world = new World();
      const node = await world.started({
        tasks: [world.sleeper("work", concurrency === undefined ? {} : { concurrency })],
        queues: { default: { slots: 4, burst: 4 } },
      });
      const low = Array.from({ length: 50 }, (_, n) => ({
        type: "work",
        payload: { ms: 10 },
        id: `low-${n}`,
        weight: 2,
      }));
      await node.engine.submitMany(low);
      for (let beat = 0; beat < 100; beat += 1) {
        const express = Array.from({ length: 5 }, (_, n) => ({
          type: "work",
          payload: { ms: 10 },
          id: `e-${beat}-${n}`,
          weight: 10,
        }));
        await node.engine.submitMany(express);
        await world.clock.advance(10);
      }
      const started = world.starts.filter((id) => id.startsWith("low-"));
      expect(started).toEqual(low.map(({ id }) => id));
      expect((await node.engine.queue("default")).bounds).toEqual({ order: { breaches: 0 }, share: { breaches: 0 } });
      await node.engine.stop({ timeout: 0 });
    },
  );
});
