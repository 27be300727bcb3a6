import {
  checkTaskId,
  DEFAULT_WEIGHT,
  GivewayError,
  type IdGenerator,
  parseDuration,
  parseInstant,
  parseWeight,
  type TaskId,
  type TaskOverrides,
} from "@giveway/kernel";
import { Checks, MAX_NAME } from "../config/checks.ts";
import type { CompiledConfig } from "../config/compile-config.ts";
import { retryOverride } from "../config/compile-retry.ts";
import { readTimeout } from "../config/compile-type.ts";
import type { CompiledType } from "../config/compiled.ts";
import { SUBMIT_OPTIONS } from "../config/option-names.ts";
import { type Draft, ON_DUPLICATE } from "./draft.ts";
import { findQueue, findType } from "./find-type.ts";
import { readPayload } from "./read-payload.ts";

export const MAX_TAGS = 20;
export const MAX_TAG = 100;

export const optionChecks = new Checks("invalid_option");

type Given = Readonly<Record<string, unknown>>;

/** Reads submits: every option by its name, then type, queue and payload. What it answers can be written as it stands. */
export class SubmitReader {
  readonly #config: CompiledConfig;
  readonly #ids: IdGenerator;

  constructor(config: CompiledConfig, ids: IdGenerator) {
    this.#config = config;
    this.#ids = ids;
  }

  /** Only a promise where the type's check is asynchronous. Errors name the option. */
  read(type: unknown, payload: unknown, options: unknown, now: number): Draft | Promise<Draft> {
    const given = options === undefined ? {} : optionChecks.object(options, SUBMIT_OPTIONS, "options");
    const { name: typeName, compiled } = findType(this.#config, type);
    const draft = {
      type: typeName,
      queue: findQueue(this.#config, given["queue"], compiled),
      name: given["name"] === undefined ? null : optionChecks.text(given["name"], "name", MAX_NAME),
      weight: given["weight"] === undefined ? (compiled?.weight ?? DEFAULT_WEIGHT) : parseWeight(given["weight"]),
      overrides: readOverrides(given),
      requestId:
        given["requestId"] === undefined ? this.#ids.requestId(now) : checkTaskId(given["requestId"], "requestId"),
      rerunOf: null,
      dueAt: readDueAt(given, now),
    };
    checkExpires(given, draft.overrides, draft.dueAt);
    const ownId = given["id"] === undefined ? null : checkTaskId(given["id"]);
    const onDuplicate =
      given["onDuplicate"] === undefined
        ? "return"
        : optionChecks.oneOf(given["onDuplicate"], ON_DUPLICATE, "onDuplicate");
    const done = ({ text, checked }: { readonly text: string; readonly checked: unknown }): Draft => {
      const id = ownId ?? derivedId(compiled, checked) ?? this.#ids.taskId(now);
      const { type, queue, name, weight, overrides, requestId, rerunOf, dueAt } = draft;
      return {
        task: { id, type, queue, name, weight, payload: text, overrides, requestId, rerunOf, dueAt },
        onDuplicate,
      };
    };
    const read = readPayload(payload, compiled, this.#config.maxPayload);
    return read instanceof Promise ? read.then(done) : done(read);
  }
}

/** When it may start: `delay` from now, at `runAt`, or now. */
export function readDueAt(given: Given, now: number): number {
  const { delay, runAt } = given;
  if (delay !== undefined && runAt !== undefined) optionChecks.fail("delay", "give delay or runAt, not both");
  if (delay !== undefined) return now + parseDuration(delay, "delay");
  return runAt === undefined ? now : parseInstant(runAt, "runAt");
}

function readOverrides(given: Given): TaskOverrides {
  const { retry, timeout, deadline, expires, tags } = given;
  return {
    ...(retry === undefined ? {} : { retry: retryOverride(optionChecks, retry, "retry") }),
    ...(timeout === undefined ? {} : { timeout: readTimeout(new Checks("invalid_duration"), timeout, "timeout") }),
    ...(deadline === undefined ? {} : { deadline: parseInstant(deadline, "deadline") }),
    ...(expires === undefined ? {} : { expires: parseInstant(expires, "expires") }),
    ...(tags === undefined ? {} : readTags(tags)),
  };
}

function readTags(value: unknown): { readonly tags?: readonly string[] } {
  const tags = optionChecks.list(value, "tags");
  if (tags.length > MAX_TAGS) optionChecks.fail("tags", `has ${tags.length} tags, more than the ${MAX_TAGS} allowed`);
  const read = tags.map((tag, index) => optionChecks.name(tag, `tags[${index}]`, MAX_TAG));
  return read.length === 0 ? {} : { tags: [...new Set(read)] };
}

/** Two instants that contradict each other. A relative delay isn't compared: a repeat of the same submit must not fail where the first did not. */
function checkExpires(given: Given, overrides: TaskOverrides, dueAt: number): void {
  if (overrides.expires === undefined || given["runAt"] === undefined || overrides.expires > dueAt) return;
  optionChecks.fail("expires", "lies before runAt, so the task could never start");
}

function derivedId(type: CompiledType | null, payload: unknown): TaskId | null {
  if (type === null || type.deriveId === null) return null;
  let id: unknown;
  try {
    id = type.deriveId(payload);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new GivewayError("invalid_id", `id: the id function of type ${type.type} threw: ${message}`, {
      field: "id",
      subject: type.type,
      cause: error,
    });
  }
  return checkTaskId(id, `id (from type ${type.type})`);
}
