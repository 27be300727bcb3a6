import {
  type ChangeActor,
  checkTaskId,
  decideRerun,
  type JsonText,
  type TaskId,
  type TaskKey,
  type TaskRecord,
  type TypeName,
} from "@giveway/kernel";
import type { ChangeOutcome } from "@giveway/store";
import { REDRIVE_FILTER_OPTIONS, REDRIVE_OPTIONS } from "../config/option-names.ts";
import type { EngineParts } from "../parts.ts";
import { type Filter, filterChecks, readFilter } from "../read/read-filter.ts";
import { readPayload } from "../submit/read-payload.ts";
import { actorOf, changeChecks } from "./actor.ts";
import { changeTask } from "./guarded-change.ts";
import type { Pace } from "./pace.ts";

const READ_PAGE = 1_000;
const MAX_IDS = 10_000;
export const DEFAULT_RATE = 100;
const MAX_RATE = 100_000;
/** Batches a second: small enough to be smooth, large enough to share commits. */
const BATCHES = 10;
const MAX_BATCH = 500;

interface Plan {
  readonly pages: () => AsyncIterable<readonly TaskRecord[]>;
  readonly actor: ChangeActor;
  readonly payload: unknown;
  readonly rate: number;
  readonly limit: number;
  readonly dryRun: boolean;
}

export interface RedriveAnswer {
  readonly matched: number;
  readonly redriven: number;
}

/**
 * Dead letters back to waiting (section 8, C17): first all that match are counted and an edited payload is checked against each of their
 * types, so that nothing is begun that would stop half-way; then they go back in batches at the given rate. A task is visited once, even if
 * it dies again meanwhile. What is no longer dead when its turn comes is passed over.
 */
export async function redrive(
  parts: EngineParts,
  pace: Pace,
  filter: unknown,
  options: unknown,
  redriven: (before: TaskRecord, task: TaskRecord, actor: ChangeActor, at: number) => void,
): Promise<RedriveAnswer> {
  const plan = readPlan(parts, filter, options);
  const { matched, types } = await count(plan);
  const payloads = await checkPayload(parts, plan.payload, types);
  if (plan.dryRun) return { matched, redriven: 0 };
  let done = 0;
  const turn = pace.at(plan.rate);
  const size = Math.max(1, Math.min(MAX_BATCH, Math.floor(plan.rate / BATCHES)));
  for await (const page of plan.pages()) {
    for (let from = 0; from < page.length && done < plan.limit; from += size) {
      const batch = page.slice(from, from + Math.min(size, plan.limit - done));
      await turn(batch.length);
      done += await redriveBatch(parts, batch, plan.actor, payloads, redriven);
    }
    if (done >= plan.limit) break;
  }
  return { matched, redriven: done };
}

function readPlan(parts: EngineParts, filterGiven: unknown, optionsGiven: unknown): Plan {
  const filter = filterChecks.object(filterGiven, REDRIVE_FILTER_OPTIONS, "options");
  const options = optionsGiven === undefined ? {} : changeChecks.object(optionsGiven, REDRIVE_OPTIONS, "options");
  const { rate, limit, dryRun } = options;
  return {
    pages: deadPages(parts, filter),
    actor: actorOf(options),
    payload: options["payload"],
    rate: rate === undefined ? DEFAULT_RATE : changeChecks.number(rate, "rate", 0.001, MAX_RATE),
    limit:
      limit === undefined ? Number.POSITIVE_INFINITY : changeChecks.whole(limit, "limit", 1, Number.MAX_SAFE_INTEGER),
    dryRun: dryRun === undefined ? false : changeChecks.flag(dryRun, "dryRun"),
  };
}

function deadPages(
  parts: EngineParts,
  given: Readonly<Record<string, unknown>>,
): () => AsyncIterable<readonly TaskRecord[]> {
  const { ids, ...rest } = given;
  if (ids === undefined) {
    const filter = { ...readFilter(rest), ...(rest["state"] === undefined ? { states: ["dead" as const] } : {}) };
    return () => pagesByFilter(parts, filter);
  }
  if (Object.values(rest).some((value) => value !== undefined)) {
    filterChecks.fail("ids", "give ids or a filter, not both");
  }
  const list = filterChecks.list(ids, "ids");
  if (list.length > MAX_IDS) filterChecks.fail("ids", `has ${list.length} ids, more than the ${MAX_IDS} allowed`);
  const read = [...new Set(list.map((id, index) => filterChecks.read(() => checkTaskId(id, `ids[${index}]`))))];
  return () => pagesByIds(parts, read);
}

async function* pagesByFilter({ store, clock }: EngineParts, filter: Filter): AsyncGenerator<readonly TaskRecord[]> {
  let after: TaskKey | null = null;
  do {
    const page = await store.find({
      ...filter,
      ...(after === null ? {} : { after }),
      limit: READ_PAGE,
      now: clock.now(),
    });
    yield page.tasks.filter((task) => task.state === "dead");
    after = page.next;
  } while (after !== null);
}

async function* pagesByIds({ store }: EngineParts, ids: readonly TaskId[]): AsyncGenerator<readonly TaskRecord[]> {
  for (let from = 0; from < ids.length; from += READ_PAGE) {
    const tasks = await store.get(ids.slice(from, from + READ_PAGE));
    yield tasks.filter((task): task is TaskRecord => task !== null && task.state === "dead");
  }
}

async function count(plan: Plan): Promise<{ readonly matched: number; readonly types: ReadonlySet<TypeName> }> {
  const types = new Set<TypeName>();
  let matched = 0;
  for await (const page of plan.pages()) {
    matched += page.length;
    for (const { type } of page) types.add(type);
  }
  return { matched, types };
}

/** The edited payload as each type stores it; null where it is kept. */
async function checkPayload(
  parts: EngineParts,
  payload: unknown,
  types: ReadonlySet<TypeName>,
): Promise<JsonText | null> {
  if (payload === undefined) return null;
  let text: JsonText | null = null;
  for (const type of types) {
    const read = await readPayload(payload, parts.config.types.get(type) ?? null, parts.config.maxPayload);
    text = read.text;
  }
  return text;
}

async function redriveBatch(
  parts: EngineParts,
  batch: readonly TaskRecord[],
  actor: ChangeActor,
  payload: JsonText | null,
  redriven: (before: TaskRecord, task: TaskRecord, actor: ChangeActor, at: number) => void,
): Promise<number> {
  const at = parts.clock.now();
  const decide = (task: TaskRecord, now: number) =>
    decideRerun(task, { dueAt: now, kind: "redriven", ...(payload === null ? {} : { payload }) }, now, actor);
  const outcomes = await parts.store.change(
    batch.map((task) => ({ ...decide(task, at), id: task.id, version: task.version })),
    at,
  );
  const tasks = await Promise.all(outcomes.map((outcome) => settled(parts, outcome, decide)));
  let done = 0;
  tasks.forEach((task, index) => {
    if (task === null) return;
    done += 1;
    redriven(batch[index]!, task, actor, at);
  });
  return done;
}

/** The task as written; one that changed since it was read is decided anew, and null if it isn't dead any more. */
async function settled(
  parts: EngineParts,
  outcome: ChangeOutcome,
  decide: (task: TaskRecord, now: number) => ReturnType<typeof decideRerun>,
): Promise<TaskRecord | null> {
  if (outcome.kind === "applied") return outcome.task;
  if (outcome.task === null) return null;
  const changed = await changeTask(parts, outcome.task.id, (task, now) =>
    task.state === "dead" ? decide(task, now) : null,
  ).catch(() => null);
  return changed?.decision == null ? null : changed.task;
}
