import { predicateOf, type StoredState } from "@giveway/kernel";
import type { FindQuery } from "@giveway/store";
import { stateCode } from "../codes.ts";
import type { Cell, Driver, Row } from "../driver/driver.ts";
import { type Condition, conditionsOf } from "./find-filter.ts";
import { RECORDS } from "./record.ts";

/** How many keys one step of a scan covers: about 20 ms of it. Between steps other readers get their turn. */
const SCAN_STEP = 20_000;
/** Up to so many waiting tasks are cheaper to sort by key than to look for among all others. */
const FEW = 100_000;

export interface FindPageRows {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** Lets others on the same thread have their turn; inline there is none to wait for. */
export type Breathe = () => Promise<void>;

/**
 * # How tasks are found
 *
 * Newest first means by key downwards. Where the states asked for are few among many, their keys come from the narrow table or index that
 * holds just them; else the tasks are walked by key in steps. Each step is its own short read, so that a search through a million
 * payloads neither blocks other reads nor keeps the log from being reset.
 */
export function prepareFind(driver: Driver): (query: FindQuery, breathe: Breathe) => Promise<FindPageRows> {
  const bounds = driver.prepare(
    // Each by itself is one look at an end of the table; both in one SELECT would read all of it.
    "SELECT coalesce((SELECT max(key) FROM task), 0) AS highest, coalesce((SELECT min(key) FROM task), 0) AS lowest",
  );
  const counts = driver.prepare(
    "SELECT coalesce(sum(ready + delayed), 0), coalesce(sum(running), 0), coalesce(sum(dead), 0), coalesce(sum(cancelled), 0) FROM depth",
  );
  return async (query, breathe) => {
    const wanted = Math.max(0, query.limit) + 1;
    const conditions = conditionsOf(query);
    const rows: Row[] = [];
    const states = storedStates(query);
    const [waiting = 0, running = 0, dead = 0, cancelled = 0] = (counts.get() ?? []) as readonly number[];
    const keys = keySource(states, { waiting, running, dead, cancelled });
    if (keys === "none") return { rows, more: false };
    if (keys !== null) {
      const below = query.after ?? Number.MAX_SAFE_INTEGER;
      rows.push(...select(driver, [keyCondition(keys, below), ...conditions], wanted));
    } else {
      const [highest = 0, lowest = 0] = (bounds.get() ?? []) as readonly number[];
      let below = Math.min(query.after ?? Number.MAX_SAFE_INTEGER, highest + 1);
      while (below > lowest && rows.length < wanted) {
        const from = below - SCAN_STEP;
        const step: Condition = { sql: "key < ? AND key >= ?", parameters: [below, from] };
        rows.push(...select(driver, [step, ...conditions], wanted - rows.length));
        below = from;
        if (below > lowest && rows.length < wanted) await breathe();
      }
    }
    return { rows: rows.slice(0, wanted - 1), more: rows.length === wanted };
  };
}

/** Stored states that can match at all; null where every one can. */
function storedStates(query: FindQuery): ReadonlySet<StoredState> | null {
  if (query.states === undefined) return null;
  return new Set(query.states.flatMap((state) => predicateOf(state).stored));
}

interface StateCounts {
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  readonly cancelled: number;
}

const WAITING_KEYS = "SELECT key FROM ready UNION ALL SELECT key FROM delayed";
const RUNNING_KEYS = "SELECT key FROM running";

/** A query for the keys that can match, where that is cheaper than to walk all tasks; `none` where the counters say there are none. */
function keySource(states: ReadonlySet<StoredState> | null, counts: StateCounts): string | "none" | null {
  if (states === null || states.has("succeeded")) return null;
  const parts: string[] = [];
  for (const state of states) {
    if (state === "succeeded" || counts[state] === 0) continue;
    if (state === "running") parts.push(RUNNING_KEYS);
    else if (state === "waiting") {
      if (counts.waiting > FEW) return null;
      parts.push(WAITING_KEYS);
    } else parts.push(`SELECT key FROM state WHERE state > 2 AND state = ${stateCode(state)}`);
  }
  return parts.length === 0 ? "none" : parts.join(" UNION ALL ");
}

function keyCondition(keys: string, below: number): Condition {
  return { sql: `key IN (${keys}) AND key < ?`, parameters: [below] };
}

function select(driver: Driver, conditions: readonly Condition[], limit: number): Row[] {
  const where = conditions.map(({ sql }) => sql).join(" AND ");
  const parameters: Cell[] = conditions.flatMap((condition) => [...condition.parameters]);
  return driver
    .prepare(`SELECT * FROM (${RECORDS}) WHERE ${where} ORDER BY key DESC LIMIT ?`)
    .all(...parameters, limit);
}
