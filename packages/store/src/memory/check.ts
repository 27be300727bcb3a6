import type { TaskRecord } from "@giveway/kernel";
import type { Depth, EndedTotal } from "../task-store.ts";
import { standingOf } from "./depth-table.ts";
import type { LedgerState } from "./ledger-state.ts";

/** Counts everything anew and compares: one line per fault, none where the ledger is sound. */
export function check(state: LedgerState): string[] {
  const rows = [...state.all()];
  return [
    ...rows.flatMap(faultsOf),
    ...twins(rows),
    ...differences("depth", depthLines(recountDepths(rows)), depthLines(state.depths.depths())),
    ...differences("total", recountTotals(rows), totalLines(state.depths.totals())),
  ];
}

/** What a row's own fields must agree on. */
function faultsOf(task: TaskRecord): string[] {
  const faults: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) faults.push(`task ${task.id}: ${what}`);
  };
  const { state, seq, since, node, startedAt, claimedAt } = task;
  must((seq === null) === (since === null), "has only one of seq and since");
  must(seq === null || state === "waiting" || state === "running", `is ${state} and has a place`);
  must(
    state !== "running" || (seq !== null && node !== null && claimedAt !== null),
    "runs without place, node or claim",
  );
  must(state !== "waiting" || (node === null && claimedAt === null && startedAt === null), "waits and is held");
  return faults;
}

function twins(rows: readonly TaskRecord[]): string[] {
  const places = rows.flatMap(({ seq }) => (seq === null ? [] : [seq]));
  return new Set(places).size === places.length ? [] : ["two tasks have the same place"];
}

function recountDepths(rows: readonly TaskRecord[]): Depth[] {
  const found = new Map<string, Depth & { readonly head: number }>();
  for (const task of rows) {
    const standing = standingOf(task);
    if (standing !== "ready" && standing !== "delayed" && standing !== "running") continue;
    const { queue, type, weight } = task;
    const place = JSON.stringify([queue, type, weight]);
    const zero = {
      queue,
      type,
      weight,
      ready: 0,
      delayed: 0,
      running: 0,
      oldest: null,
      head: Number.POSITIVE_INFINITY,
    };
    const before = found.get(place) ?? zero;
    const leads = standing === "ready" && task.seq !== null && task.seq < before.head;
    const head = leads ? { head: Number(task.seq), oldest: task.since } : {};
    found.set(place, { ...before, [standing]: before[standing] + 1, ...head });
  }
  return [...found.values()];
}

function recountTotals(rows: readonly TaskRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { state, queue, type } of rows) {
    if (state === "waiting" || state === "running") continue;
    const place = JSON.stringify([queue, type, state]);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts].map(([place, count]) => `${place} ${count}`);
}

function depthLines(depths: readonly Depth[]): string[] {
  return depths.map(({ queue, type, weight, ready, delayed, running, oldest }) =>
    JSON.stringify([queue, type, weight, { ready, delayed, running, oldest }]),
  );
}

function totalLines(totals: readonly EndedTotal[]): string[] {
  return totals.map(({ queue, type, state, count }) => `${JSON.stringify([queue, type, state])} ${count}`);
}

function differences(what: string, counted: readonly string[], kept: readonly string[]): string[] {
  const missing = counted.filter((line) => !kept.includes(line)).map((line) => `${what} counted, not kept: ${line}`);
  const wrong = kept.filter((line) => !counted.includes(line)).map((line) => `${what} kept, not counted: ${line}`);
  return [...missing, ...wrong];
}
