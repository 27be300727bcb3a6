import { matches, predicateOf, type TaskRecord } from "@giveway/kernel";
import type { FindPage, FindQuery } from "../task-store.ts";
import type { LedgerState } from "./ledger-state.ts";

/** Newest first, every filter checked on the row itself: the reference, not the fast way. */
export function find(state: LedgerState, query: FindQuery): FindPage {
  const tasks: TaskRecord[] = [];
  for (const task of [...state.all()].reverse()) {
    if (query.after !== undefined && task.key >= query.after) continue;
    if (!passes(task, query)) continue;
    if (tasks.length >= query.limit) return { tasks, next: tasks.at(-1)?.key ?? null };
    tasks.push(task);
  }
  return { tasks, next: null };
}

function passes(task: TaskRecord, query: FindQuery): boolean {
  const { states, types, queues, weights, tags, text, createdFrom, createdTo, now } = query;
  return (
    (states === undefined || states.some((name) => matches(predicateOf(name), task, now))) &&
    (types === undefined || types.includes(task.type)) &&
    (queues === undefined || queues.includes(task.queue)) &&
    (weights === undefined || weights.includes(task.weight)) &&
    (tags === undefined || tags.some((tag) => task.overrides.tags?.includes(tag) === true)) &&
    (text === undefined || containsText(task, text)) &&
    (createdFrom === undefined || task.createdAt >= createdFrom) &&
    (createdTo === undefined || task.createdAt < createdTo)
  );
}

function containsText(task: TaskRecord, text: string): boolean {
  const error = task.lastError;
  const wanted = lowerAscii(text);
  return [task.id, task.name, task.payload, error?.name, error?.code, error?.message].some(
    (field) => typeof field === "string" && lowerAscii(field).includes(wanted),
  );
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
