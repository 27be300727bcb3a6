import { setTimeout as delay } from "node:timers/promises";
import { createScheduler, defineTask } from "giveway";

const order = [];

const ordinary = defineTask({
  type: "ordinary",
  async run({ n }) {
    order.push(`ordinary ${n}`);
    await delay(300);
  },
});

const critical = defineTask({
  type: "critical",
  weight: "critical",
  run() {
    order.push("critical");
  },
});

const failing = defineTask({
  type: "failing",
  retry: { delays: ["100ms", "200ms", "400ms"] },
  run() {
    throw new Error("the supplier does not answer");
  },
});

const scheduler = await createScheduler({
  store: process.argv[2] ?? "memory",
  tasks: [ordinary, critical, failing],
  // No burst slots: the critical task has to overtake in the queue, as it would on a machine that is full.
  queues: { default: { slots: 4, burst: 4 } },
  logger: false,
});
await scheduler.start();

// 1. Twenty ordinary tasks of 300 ms fill the four slots and the queue behind them; then comes one critical task.
const items = Array.from({ length: 20 }, (_, n) => ({ type: ordinary, payload: { n }, id: `ordinary-${n}` }));
await scheduler.submitMany(items);
const urgent = await scheduler.submit(critical, null, { id: "alarm-1" });
await scheduler.result(urgent.task.id, { timeout: "10s" });
console.log(`the critical task started as number ${order.indexOf("critical") + 1} of 21`);

// 2. The same id again is skipped: it says what became of the first.
const again = await scheduler.submit(critical, null, { id: "alarm-1" });
console.log(`submitted again: created ${again.created}, the first one ${again.task.state}`);

// 3. A failing task is tried four times in all, then it is a dead letter that keeps its history.
const doomed = await scheduler.submit(failing, null);
const end = await scheduler.result(doomed.task.id, { timeout: "30s" }).catch((error) => error.code);
const { attempts } = await scheduler.history(doomed.task.id);
console.log(`the failing task: ${end} after ${attempts.length} attempts, ${attempts.map((a) => a.outcome).join(", ")}`);

await scheduler.drain();
console.log(`ordinary tasks that ran: ${order.filter((name) => name !== "critical").length} of 20`);
await scheduler.stop();
