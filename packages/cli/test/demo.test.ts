import { VirtualClock } from "@giveway/engine";
import { seededRandom } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { Shop, shopTasks } from "../src/demo/shop.ts";
import { Traffic, type TrafficPorts } from "../src/demo/traffic.ts";

interface Sent {
  readonly type: string;
  readonly payload: unknown;
}

function traffic(backlog: number, sent: Sent[]): Traffic {
  const scheduler = {
    submit: (task: { readonly type: string }, payload: unknown) => {
      sent.push({ type: task.type, payload });
      return Promise.resolve({});
    },
    stats: () => Promise.resolve({ backlog }),
  } as unknown as TrafficPorts["scheduler"];
  const random = seededRandom(7);
  return new Traffic({
    scheduler,
    tasks: shopTasks(new Shop(), random),
    clock: new VirtualClock(),
    random,
    onError: (error) => {
      throw error;
    },
  });
}

describe("the demonstration shop", () => {
  it("closes an order that isn't paid, once in effect", () => {
    const shop = new Shop();
    shop.pay(1);
    expect(shop.close(1)).toBe("paid");
    expect(shop.close(2)).toBe("closed");
    shop.pay(2);
    expect(shop.close(2)).toBe("closed");
  });

  it("sends every kind of work over time, each order under a number of its own", async () => {
    const sent: Sent[] = [];
    const shop = traffic(0, sent);
    for (let beat = 0; beat < 400; beat += 1) await shop.beat();
    const kinds = new Set(sent.map((one) => one.type));
    expect([...kinds].toSorted()).toEqual([
      "charge_payment",
      "close_order",
      "fraud_alert",
      "nightly_report",
      "send_notification",
    ]);
    const closed = sent.filter((one) => one.type === "close_order").map((one) => JSON.stringify(one.payload));
    expect(new Set(closed).size).toBe(closed.length);
  });

  it("sends no adverts while enough waits", async () => {
    const sent: Sent[] = [];
    const shop = traffic(60, sent);
    for (let beat = 0; beat < 200; beat += 1) await shop.beat();
    expect(sent.filter((one) => JSON.stringify(one.payload).includes("advert"))).toEqual([]);
    expect(sent.length).toBeGreaterThan(0);
  });
});
