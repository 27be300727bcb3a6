import { type Random, VIEW_STATES, type Weight } from "@giveway/kernel";
import type { FindQuery } from "../../task-store.ts";
import { chance, oneOf, upTo } from "./dice.ts";
import { WALK_QUEUES, WALK_TYPES, type Walk } from "./walk-steps.ts";

const TEXTS = ["id-1", "NAME", "%", "_'", "ü", 'n":1', "broke", "edited", "nothing like it", ""] as const;

export function randomQuery({ random, now }: Walk): Omit<FindQuery, "after"> {
  return {
    limit: 1 + upTo(random, 9),
    now: now + oneOf(random, [0, 0, 5_000, -5_000]),
    ...(chance(random, 0.5) ? { states: someOf(random, VIEW_STATES) } : {}),
    ...(chance(random, 0.3) ? { types: someOf(random, WALK_TYPES) } : {}),
    ...(chance(random, 0.3) ? { queues: someOf(random, WALK_QUEUES) } : {}),
    ...(chance(random, 0.2) ? { weights: someOf(random, [1, 2, 5, 7, 9, 10] satisfies Weight[]) } : {}),
    ...(chance(random, 0.2) ? { tags: someOf(random, ["tag-0", "tag-1", "tag-9"]) } : {}),
    ...(chance(random, 0.3) ? { text: oneOf(random, TEXTS) } : {}),
    ...(chance(random, 0.2) ? { createdFrom: now - upTo(random, 60_000) } : {}),
    ...(chance(random, 0.2) ? { createdTo: now - upTo(random, 30_000) } : {}),
  };
}

function someOf<Item>(random: Random, items: readonly Item[]): Item[] {
  return items.filter(() => chance(random, 0.4));
}
