import {
  DEFAULT_WEIGHT,
  parseDuration,
  parseWeight,
  type QueueName,
  queueName,
  type TypeName,
  typeName,
} from "@giveway/kernel";
import { type Checks, MAX_NAME } from "./checks.ts";
import { compileRetry } from "./compile-retry.ts";
import type { CompiledType } from "./compiled.ts";
import { TASK_OPTIONS } from "./option-names.ts";

export const DEFAULT_QUEUE: QueueName = queueName("default");
export const DEFAULT_TIMEOUT = 60_000;
export const MAX_CONCURRENCY = 100_000;

/** One task type. Errors name it: `tasks.close_order.timeout`, or `tasks[2]` where even its name is wrong. */
export function compileType(checks: Checks, value: unknown, index: number): CompiledType {
  const name = readName(checks, value, `tasks[${index}]`);
  const path = `tasks.${name}`;
  const given = checks.object(value, TASK_OPTIONS, path);
  const { queue, weight, timeout, concurrency, id, validate } = given;
  return {
    type: name,
    queue: queue === undefined ? DEFAULT_QUEUE : queueName(checks.name(queue, `${path}.queue`, MAX_NAME)),
    weight: weight === undefined ? DEFAULT_WEIGHT : checks.read(() => parseWeight(weight, `${path}.weight`)),
    timeout: timeout === undefined ? DEFAULT_TIMEOUT : readTimeout(checks, timeout, `${path}.timeout`),
    concurrency:
      concurrency === undefined ? null : checks.whole(concurrency, `${path}.concurrency`, 1, MAX_CONCURRENCY),
    retry: compileRetry(checks, given["retry"], `${path}.retry`),
    deriveId: id === undefined ? null : (checks.callable(id, `${path}.id`) as CompiledType["deriveId"]),
    validate:
      validate === undefined ? null : (checks.callable(validate, `${path}.validate`) as CompiledType["validate"]),
    run: checks.callable(given["run"], `${path}.run`) as CompiledType["run"],
  };
}

function readName(checks: Checks, value: unknown, path: string): TypeName {
  const given = checks.anyObject(value, path);
  return typeName(checks.name(given["type"], `${path}.type`, MAX_NAME));
}

export function readTimeout(checks: Checks, value: unknown, path: string): number {
  const ms = checks.read(() => parseDuration(value, path));
  if (ms === 0) checks.fail(path, "expected more than 0 ms");
  return ms;
}
