import type { TaskKey, TaskRecord } from "@giveway/kernel";
import { expect } from "vitest";
import type { Depth, EndedTotal, TaskStore } from "../../task-store.ts";

/** Every row of a ledger, by paging through it. */
export async function allRows(store: TaskStore, now: number): Promise<TaskRecord[]> {
  const rows: TaskRecord[] = [];
  let after: TaskKey | undefined;
  do {
    const page = await store.find({ limit: 1_000, now, ...(after === undefined ? {} : { after }) });
    rows.push(...page.tasks);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return rows;
}

/** The kept counters equal what counting the rows finds. */
export async function assertCounted(store: TaskStore, now: number): Promise<void> {
  const rows = await allRows(store, now);
  expect(byName(await store.depths())).toEqual(byName(countDepths(rows)));
  expect(byName(await store.totals())).toEqual(byName(countTotals(rows)));
  expect(byName(await store.nextDue())).toEqual(byName(countNextDue(rows)));
}

export function countDepths(rows: readonly TaskRecord[]): Depth[] {
  const groups = groupBy(
    rows.filter(({ state }) => state === "waiting" || state === "running"),
    ({ queue, type, weight }) => JSON.stringify([queue, type, weight]),
  );
  return groups.map((group) => {
    const { queue, type, weight } = group[0] as TaskRecord;
    const ready = group.filter(({ state, seq }) => state === "waiting" && seq !== null);
    const head = [...ready].sort((a, b) => Number(a.seq) - Number(b.seq))[0];
    return {
      queue,
      type,
      weight,
      ready: ready.length,
      delayed: group.filter(({ state, seq }) => state === "waiting" && seq === null).length,
      running: group.filter(({ state }) => state === "running").length,
      oldest: head?.since ?? null,
    };
  });
}

export function countTotals(rows: readonly TaskRecord[]): EndedTotal[] {
  const ended = rows.filter(({ state }) => state !== "waiting" && state !== "running");
  return groupBy(ended, ({ queue, type, state }) => JSON.stringify([queue, type, state])).map((group) => {
    const { queue, type, state } = group[0] as TaskRecord & { readonly state: EndedTotal["state"] };
    return { queue, type, state, count: group.length };
  });
}

function countNextDue(rows: readonly TaskRecord[]): Awaited<ReturnType<TaskStore["nextDue"]>> {
  const delayed = rows.filter(({ state, seq }) => state === "waiting" && seq === null);
  return groupBy(delayed, ({ queue }) => queue).map((group) => ({
    queue: (group[0] as TaskRecord).queue,
    dueAt: Math.min(...group.map(({ dueAt }) => dueAt)),
  }));
}

function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** In an order of its own, since the contract states none. */
export function byName<Item>(items: readonly Item[]): Item[] {
  const nameOf = (item: Item): string => JSON.stringify(item, Object.keys(item as object).sort());
  return [...items].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
