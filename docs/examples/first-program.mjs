import { createScheduler, defineTask } from "giveway";
import { z } from "zod";

const unpaid = new Set([10086]);

const closeOrder = defineTask({
  type: "close_order",
  payload: z.object({ orderId: z.number() }),
  id: ({ orderId }) => `close-${orderId}`,
  async run({ orderId }, ctx) {
    // It may run twice: check first, then act, and hand ctx.requestId to what you call.
    if (!unpaid.has(orderId)) return { closed: false };
    unpaid.delete(orderId);
    ctx.log.info("stock released");
    return { closed: true };
  },
});

const scheduler = await createScheduler({ store: "sqlite:orders.db", tasks: [closeOrder], logger: "warn" });
await scheduler.start();

const { task, created } = await scheduler.submit(closeOrder, { orderId: 10086 }, { delay: "1s", weight: "high" });
console.log(task.id, created ? "is safe on disk" : "was known already");
console.log(await scheduler.result(task.id, { timeout: "1m" }));

const again = await scheduler.submit(closeOrder, { orderId: 10086 });
console.log("the same again:", again.created ? "a new task" : `no new task, the first one ${again.task.state}`);

await scheduler.stop();
