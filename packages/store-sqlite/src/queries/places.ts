import { EXPRESS_FROM } from "@giveway/kernel";
import type { WriteContext } from "../writer/context.ts";

/** Where a waiting task stands. */
export interface WaitingPlace {
  readonly stream: number;
  readonly weight: number;
  readonly noPrefetch: boolean;
  readonly dueAt: number;
  /** Both given: ready. Both null: delayed. */
  readonly seq: number | null;
  readonly since: number | null;
}

/** Bits of `flags` in `ready` and `delayed`. */
export const HAS_STATE = 1;
export const NO_PREFETCH_FLAG = 2;

/** The two tables of waiting tasks, kept in step with their counters. For tasks that have a row in `state`; fresh ones are placed in bulk. */
export interface Places {
  put(key: number, place: WaitingPlace): void;
  take(key: number, place: WaitingPlace): void;
}

export function preparePlaces({ driver, depths, names }: WriteContext): Places {
  const addReady = driver.prepare("INSERT INTO ready VALUES (?, ?, ?, ?, ?, ?)");
  const dropReady = driver.prepare("DELETE FROM ready WHERE stream = ? AND weight = ? AND seq = ?");
  const addDelayed = driver.prepare("INSERT INTO delayed VALUES (?, ?, ?, ?, ?, ?, ?)");
  const dropDelayed = driver.prepare("DELETE FROM delayed WHERE queue = ? AND express = ? AND due = ? AND key = ?");

  return {
    put(key, { stream, weight, noPrefetch, dueAt, seq, since }) {
      const flags = noPrefetch ? HAS_STATE | NO_PREFETCH_FLAG : HAS_STATE;
      if (seq !== null) {
        addReady.run(stream, weight, seq, since, key, flags);
        depths.add(stream, weight, "ready", 1);
      } else {
        addDelayed.run(names.stream(stream).queue, expressFlag(weight), dueAt, key, stream, weight, flags);
        depths.add(stream, weight, "delayed", 1);
      }
    },
    take(key, { stream, weight, dueAt, seq }) {
      if (seq !== null) {
        mustChange(dropReady.run(stream, weight, seq), 1, "ready");
        depths.add(stream, weight, "ready", -1);
      } else {
        mustChange(dropDelayed.run(names.stream(stream).queue, expressFlag(weight), dueAt, key), 1, "delayed");
        depths.add(stream, weight, "delayed", -1);
      }
    },
  };
}

/** Due tasks of the express lane become ready first; the flag leads the index for that. */
export function expressFlag(weight: number): number {
  return weight >= EXPRESS_FROM ? 1 : 0;
}

/** Rows that the tables agree on can't be missing; if they are, the transaction must not go through. */
export function mustChange(changes: number, expected: number, table: string): void {
  if (changes !== expected) throw new Error(`"${table}" holds ${changes} of the ${expected} rows it should`);
}
