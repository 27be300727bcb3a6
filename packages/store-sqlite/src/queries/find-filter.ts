import { predicateOf, type ViewPredicate } from "@giveway/kernel";
import type { FindQuery } from "@giveway/store";
import { outcomeCode, stateCode } from "../codes.ts";
import type { Cell } from "../driver/driver.ts";

/** A condition on the columns of `RECORDS`, with its parameters in order. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

const NEVER: Condition = { sql: "0", parameters: [] };

/** All conditions of a query but its page. */
export function conditionsOf(query: FindQuery): Condition[] {
  const conditions: Condition[] = [];
  const add = (condition: Condition): number => conditions.push(condition);
  if (query.states !== undefined) add(anyOf(query.states.map((state) => viewCondition(predicateOf(state), query.now))));
  if (query.types !== undefined) add(inList("type", query.types));
  if (query.queues !== undefined) add(inList("queue", query.queues));
  if (query.weights !== undefined) add(inList("weight", query.weights));
  if (query.tags !== undefined) add(tagCondition(query.tags));
  if (query.text !== undefined && query.text !== "") add(textCondition(query.text));
  if (query.createdFrom !== undefined) add({ sql: "created_at >= ?", parameters: [query.createdFrom] });
  if (query.createdTo !== undefined) add({ sql: "created_at < ?", parameters: [query.createdTo] });
  return conditions;
}

function viewCondition(predicate: ViewPredicate, now: number): Condition {
  const parts: Condition[] = [inList("state", predicate.stored.map(stateCode))];
  if (predicate.due !== undefined) {
    parts.push({ sql: predicate.due === "ahead" ? "due_at > ?" : "due_at <= ?", parameters: [now] });
  }
  if (predicate.started !== undefined) {
    parts.push({ sql: predicate.started ? "started_at IS NOT NULL" : "started_at IS NULL", parameters: [] });
  }
  if (predicate.outcomes !== undefined) parts.push(inList("last_outcome", predicate.outcomes.map(outcomeCode)));
  if (predicate.failures !== undefined) parts.push({ sql: "failures > 0", parameters: [] });
  return allOf(parts);
}

function inList(column: string, values: readonly Cell[]): Condition {
  if (values.length === 0) return NEVER;
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(values)] };
}

function tagCondition(tags: readonly string[]): Condition {
  if (tags.length === 0) return NEVER;
  return {
    sql: "EXISTS (SELECT 1 FROM json_each(overrides, '$.tags') own WHERE own.value IN (SELECT value FROM json_each(?)))",
    parameters: [JSON.stringify(tags)],
  };
}

/** Places text is looked for in. `lower` knows A to Z only, which is what the contract asks for. */
const TEXT_COLUMNS = [
  "id",
  "name",
  "payload",
  "json_extract(last_error, '$.name')",
  "json_extract(last_error, '$.code')",
  "json_extract(last_error, '$.message')",
] as const;

function textCondition(text: string): Condition {
  return anyOf(TEXT_COLUMNS.map((column) => ({ sql: `instr(lower(${column}), lower(?)) > 0`, parameters: [text] })));
}

function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? NEVER : joined(conditions, " OR ");
}
function allOf(conditions: readonly Condition[]): Condition {
  return joined(conditions, " AND ");
}
function joined(conditions: readonly Condition[], word: string): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(word)})`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}
