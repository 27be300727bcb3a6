import {
  GivewayError,
  parseInstant,
  parseWeight,
  queueName,
  STORED_STATES,
  type StoredState,
  type TaskKey,
  taskKey,
  typeName,
  VIEW_STATES,
  type ViewState,
} from "@giveway/kernel";
import type { FindQuery } from "@giveway/store";
import { Checks } from "../config/checks.ts";

export const filterChecks = new Checks("invalid_filter");

export type Filter = Omit<FindQuery, "after" | "limit" | "now">;

/** Every state name a filter accepts: the five stored ones and the views on them (C2). */
export const FILTER_STATES: readonly (StoredState | ViewState)[] = [...new Set([...STORED_STATES, ...VIEW_STATES])];

/** Values that one filter may combine. */
const MAX_VALUES = 100;
const MAX_TEXT = 200;

/** Reads the filter part of options whose keys were checked already. Errors are `invalid_filter` and name the key. */
export function readFilter(given: Readonly<Record<string, unknown>>): Filter {
  const { state, type, queue, weight, tag, text, createdFrom, createdTo } = given;
  return {
    ...(state === undefined ? {} : { states: each(state, "state", readState) }),
    ...(type === undefined ? {} : { types: each(type, "type", (value, path) => typeName(readText(value, path))) }),
    ...(queue === undefined ? {} : { queues: each(queue, "queue", (value, path) => queueName(readText(value, path))) }),
    ...(weight === undefined
      ? {}
      : { weights: each(weight, "weight", (value, path) => filterChecks.read(() => parseWeight(value, path))) }),
    ...(tag === undefined ? {} : { tags: each(tag, "tag", readText) }),
    ...(text === undefined || text === "" ? {} : { text: filterChecks.text(text, "text", MAX_TEXT) }),
    ...(createdFrom === undefined ? {} : { createdFrom: readInstant(createdFrom, "createdFrom") }),
    ...(createdTo === undefined ? {} : { createdTo: readInstant(createdTo, "createdTo") }),
  };
}

/** One value or a list of them. */
function each<Value>(value: unknown, key: string, read: (value: unknown, path: string) => Value): readonly Value[] {
  if (!Array.isArray(value)) return [read(value, key)];
  if (value.length > MAX_VALUES) {
    filterChecks.fail(key, `has ${value.length} values, more than the ${MAX_VALUES} allowed`);
  }
  return value.map((entry, index) => read(entry, `${key}[${index}]`));
}

function readState(value: unknown, path: string): StoredState | ViewState {
  return filterChecks.oneOf(value, FILTER_STATES, path);
}

function readText(value: unknown, path: string): string {
  return filterChecks.text(value, path, 255);
}

function readInstant(value: unknown, path: string): number {
  return filterChecks.read(() => parseInstant(value, path));
}

const CURSOR = /^k([0-9a-z]{1,11})$/;

/** A place in a list as text that users pass on unread. */
export function writeCursor(key: TaskKey): string {
  return Buffer.from(`k${key.toString(36)}`).toString("base64url");
}

/** Throws `invalid_cursor` for anything that `writeCursor` did not make. */
export function readCursor(value: unknown): TaskKey {
  const text = typeof value === "string" ? Buffer.from(value, "base64url").toString("latin1") : "";
  const digits = CURSOR.exec(text)?.[1];
  const key = digits === undefined ? Number.NaN : Number.parseInt(digits, 36);
  if (!Number.isSafeInteger(key) || writeCursor(taskKey(key)) !== value) {
    throw new GivewayError(
      "invalid_cursor",
      "cursor: expected the nextCursor of an earlier answer; leave it out to begin anew",
      {
        field: "cursor",
      },
    );
  }
  return taskKey(key);
}
