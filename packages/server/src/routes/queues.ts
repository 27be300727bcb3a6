import type { Scheduler } from "@giveway/engine";
import { GivewayError } from "@giveway/kernel";
import type { Part } from "../http/handler.ts";

/** Lists that always fit one page. */
const whole = <Item>(items: readonly Item[]) => ({ body: { items, nextCursor: null } });

export function queueHandlers(
  scheduler: Scheduler,
): Part<"listQueues" | "getQueue" | "setQueue" | "nextTasks" | "listSlots" | "listTypes" | "setType" | "listNodes"> {
  return {
    async listQueues() {
      return whole(await scheduler.queues());
    },

    async getQueue({ params }) {
      return { body: { queue: await scheduler.queue(params.name) } };
    },

    async setQueue({ params, body, caller }) {
      const { cause, ...patch } = body;
      if (Object.keys(patch).length === 0) {
        throw new GivewayError(
          "invalid_option",
          "there is nothing to change: send paused, slots, burst, share or steps",
        );
      }
      const actor = { by: caller.by, ...(cause === undefined ? {} : { cause }) };
      return { body: { queue: await scheduler.setQueue(params.name, { ...patch, ...actor }) } };
    },

    async nextTasks({ params, query }) {
      return whole(await scheduler.next(params.name, query.limit));
    },

    async listSlots() {
      return whole(scheduler.slots());
    },

    async listTypes() {
      return whole(await typesOf(scheduler));
    },

    async setType({ params, body, caller }) {
      const actor = { by: caller.by, ...(body.cause === undefined ? {} : { cause: body.cause }) };
      await typeOf(scheduler, params.type);
      if (body.paused) await scheduler.pause({ type: params.type }, actor);
      else await scheduler.resume({ type: params.type }, actor);
      return { body: { type: await typeOf(scheduler, params.type) } };
    },

    async listNodes() {
      return whole(await scheduler.nodes());
    },
  };
}

/** What code says of a type, with how it stands now. */
async function typesOf(scheduler: Scheduler) {
  const states = new Map((await scheduler.queues()).flatMap(({ types }) => types.map((one) => [one.type, one])));
  return scheduler.types().map((known) => {
    const { paused = false, running = 0, zombies = 0, stopped = false } = states.get(known.type) ?? {};
    return { ...known, paused, running, zombies, stopped };
  });
}

async function typeOf(scheduler: Scheduler, name: string) {
  const type = (await typesOf(scheduler)).find((one) => one.type === name);
  if (type === undefined) throw new GivewayError("unknown_type", `this node knows no type ${name}`, { subject: name });
  return type;
}
