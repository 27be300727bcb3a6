import { setTimeout as delay } from "node:timers/promises";
import { type AnyTask, defineTask, type QueueOptions, type TaskContext } from "giveway";
import { z } from "zod";

/**
 * The shop that `npm start` runs: a small world in which ordinary work always waits a little and urgent work overtakes it.
 * Nothing leaves the process; every step is a short pause.
 */
export class Shop {
  readonly #paid = new Set<number>();
  readonly #closed = new Set<number>();

  pay(orderId: number): void {
    if (!this.#closed.has(orderId)) this.#paid.add(orderId);
  }

  /** Closes an order unless it was paid; a second call changes nothing, so that a repeated delivery is safe. */
  close(orderId: number): "closed" | "paid" {
    if (this.#paid.has(orderId)) return "paid";
    this.#closed.add(orderId);
    this.#trim(this.#closed);
    this.#trim(this.#paid);
    return "closed";
  }

  /** The demonstration runs for days: it remembers the latest orders only. */
  #trim(orders: Set<number>): void {
    for (const oldest of orders) {
      if (orders.size <= 10_000) return;
      orders.delete(oldest);
    }
  }
}

export const SHOP_QUEUES: Readonly<Record<string, QueueOptions>> = {
  orders: { slots: 2, burst: 3 },
  payments: { slots: 2, burst: 4 },
  notifications: { slots: 3, burst: 4 },
  reports: { slots: 1, burst: 1 },
};

const order = z.object({ orderId: z.number().int().positive() });

/** The shop's task types over one shop. `random` decides which payment fails, so that a test can decide instead. */
export function shopTasks(shop: Shop, random: () => number) {
  const closeOrder = defineTask({
    type: "close_order",
    payload: order,
    queue: "orders",
    id: ({ orderId }) => `close-${orderId}`,
    async run({ orderId }, ctx) {
      await work(ctx, 60);
      const outcome = shop.close(orderId);
      ctx.log.info(outcome === "closed" ? "order closed, stock released" : "order was paid, nothing to close");
      return { outcome };
    },
  });
  const chargePayment = defineTask({
    type: "charge_payment",
    payload: order,
    queue: "payments",
    weight: "high",
    id: ({ orderId }) => `charge-${orderId}`,
    retry: { delays: ["1s", "5s", "25s"] },
    async run({ orderId }, ctx) {
      await work(ctx, 80);
      if (random() < 0.05) throw Object.assign(new Error("the bank did not answer in time"), { code: "ETIMEDOUT" });
      if (random() < 0.01) throw Object.assign(new Error("the card was declined"), { retryable: false });
      shop.pay(orderId);
      return { charged: true };
    },
  });
  const fraudAlert = defineTask({
    type: "fraud_alert",
    payload: order,
    queue: "notifications",
    weight: "critical",
    id: ({ orderId }) => `fraud-${orderId}`,
    async run(_payload, ctx) {
      await work(ctx, 40);
      return { alerted: "on-call" };
    },
  });
  const sendNotification = defineTask({
    type: "send_notification",
    payload: z.object({ orderId: z.number(), kind: z.enum(["receipt", "advert"]) }),
    queue: "notifications",
    id: ({ orderId, kind }) => `notify-${kind}-${orderId}`,
    async run(_payload, ctx) {
      await work(ctx, 250);
      return { sent: true };
    },
  });
  const nightlyReport = defineTask({
    type: "nightly_report",
    payload: z.object({ day: z.string() }),
    queue: "reports",
    weight: "low",
    timeout: "5m",
    id: ({ day }) => `report-${day}`,
    async run({ day }, ctx) {
      for (let part = 1; part <= 10; part += 1) {
        await work(ctx, 400);
        ctx.progress({ part, of: 10 });
      }
      return { day, pages: 10 };
    },
  });
  return { closeOrder, chargePayment, fraudAlert, sendNotification, nightlyReport };
}

export type ShopTasks = ReturnType<typeof shopTasks>;

export function shopTaskList(tasks: ShopTasks): readonly AnyTask[] {
  return Object.values(tasks);
}

/** A step of work that ends early when the attempt has to. */
function work(ctx: TaskContext, ms: number): Promise<void> {
  return delay(ms, undefined, { signal: ctx.signal });
}
