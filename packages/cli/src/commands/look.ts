import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { relativeTime, roughDuration } from "../output/times.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

/** The commands that only look: queues, next, slots, nodes, stats. */
export const addLooks: AddCommand = (program, surroundings) => {
  program
    .command("queues")
    .description("list queues with depth, slots and oldest waiters")
    .action(withContext(surroundings, queues));
  program
    .command("next <queue>")
    .description("list the next tasks of a queue in exact start order")
    .option("--limit <n>", "at most so many, up to 1000", wholeNumber(1, 1000), 20)
    .action(withContext(surroundings, next));
  program.command("slots").description("list what each slot of the node does").action(withContext(surroundings, slots));
  program.command("nodes").description("list the nodes of the ledger").action(withContext(surroundings, nodes));
  program.command("stats").description("show the key figures").action(withContext(surroundings, stats));
};

const age = (ms: number | null): string | null => (ms === null ? null : roughDuration(ms));

async function queues({ out, client }: Context): Promise<void> {
  const answer = await client.queues();
  out.answer(answer, () =>
    out.table(
      [
        { title: "QUEUE", value: (queue) => queue.name, flexible: true },
        { title: "SLOTS", value: (queue) => `${queue.slots}+${queue.burst - queue.slots}`, align: "right" },
        { title: "RUNNING", value: (queue) => queue.depth.running, align: "right" },
        { title: "EXPRESS", value: (queue) => queue.depth.express, align: "right" },
        { title: "STANDARD", value: (queue) => queue.depth.standard, align: "right" },
        { title: "DELAYED", value: (queue) => queue.depth.delayed, align: "right" },
        { title: "OLDEST EXPRESS", value: (queue) => age(queue.oldestWaiting.express), align: "right" },
        { title: "OLDEST STANDARD", value: (queue) => age(queue.oldestWaiting.standard), align: "right" },
        { title: "DEAD", value: (queue) => queue.ended.dead, align: "right" },
        { title: "", value: (queue) => (queue.paused ? "paused" : "") },
      ],
      answer.items,
      "no queues",
    ),
  );
}

async function next({ out, client }: Context, queue: string, flags: { readonly limit?: number }): Promise<void> {
  const answer = await client.next(queue, flags.limit);
  out.answer(answer, () =>
    out.table(
      [
        { title: "#", value: (item) => item.position, align: "right" },
        { title: "ID", value: (item) => item.id, flexible: true },
        { title: "TYPE", value: (item) => item.type, flexible: true },
        { title: "LANE", value: (item) => item.lane },
        { title: "W", value: (item) => item.weight, align: "right" },
        { title: "COUNTS AS", value: (item) => item.effectiveWeight, align: "right" },
        { title: "NAME", value: (item) => item.name, flexible: true },
      ],
      answer.items,
      "nothing waits",
    ),
  );
}

async function slots({ out, client, now }: Context): Promise<void> {
  const answer = await client.slots();
  out.answer(answer, () =>
    out.table(
      [
        { title: "QUEUE", value: (slot) => slot.queue, flexible: true },
        { title: "KIND", value: (slot) => slot.kind },
        { title: "TASK", value: (slot) => slot.task, flexible: true },
        { title: "TYPE", value: (slot) => slot.type, flexible: true },
        { title: "W", value: (slot) => slot.weight, align: "right" },
        { title: "TRY", value: (slot) => slot.attempt, align: "right" },
        { title: "STARTED", value: (slot) => relativeTime(slot.startedAt, now) },
        { title: "TIME-OUT", value: (slot) => relativeTime(slot.timeoutAt, now) },
      ],
      answer.items,
      "every slot is free",
    ),
  );
}

async function nodes({ out, client, now }: Context): Promise<void> {
  const answer = await client.nodes();
  out.answer(answer, () =>
    out.table(
      [
        { title: "NODE", value: (node) => node.id, flexible: true },
        { title: "LABEL", value: (node) => node.label, flexible: true },
        { title: "ALIVE", value: (node) => (node.alive ? "yes" : "no") },
        { title: "STARTED", value: (node) => relativeTime(node.startedAt, now) },
        { title: "TYPES", value: (node) => node.types.join(", "), flexible: true },
      ],
      answer.items,
      "no nodes",
    ),
  );
}

async function stats({ out, client }: Context): Promise<void> {
  const answer = await client.stats();
  out.answer(answer, () =>
    Object.entries(answer).map(
      ([name, value]) => `${out.dim(name.padEnd(20))} ${value === null ? "–" : JSON.stringify(value)}`,
    ),
  );
}
