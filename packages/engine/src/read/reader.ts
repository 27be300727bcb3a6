import {
  type Admission,
  checkTaskId,
  effectiveWeight,
  laneUnder,
  type QueueName,
  queueName,
  type TypeName,
  typeName,
} from "@giveway/kernel";
import type { TaskHistory, UpcomingTask } from "@giveway/store";
import type { FindOptions, HistoryView, NextView, NodeView, Page, QueueView, TaskView, WhyView } from "../api.ts";
import { notFound } from "../change/guarded-change.ts";
import { Checks } from "../config/checks.ts";
import type { QueueSettings } from "../config/compiled.ts";
import { FIND_OPTIONS } from "../config/option-names.ts";
import { pausedTypes } from "../config/overrides.ts";
import type { EngineParts } from "../parts.ts";
import { unknownQueue } from "../submit/find-type.ts";
import { attemptViews, changeView } from "./attempt-view.ts";
import type { LateAnswers } from "./late-answers.ts";
import { nodeView } from "./node-views.ts";
import { laneFacts, settingsOf } from "./queue-facts.ts";
import { ledgerFacts, queueNames, queueView } from "./queue-view.ts";
import { filterChecks, readCursor, readFilter, writeCursor } from "./read-filter.ts";
import { type HeldSlot, startOrder } from "./start-order.ts";
import { taskView } from "./task-view.ts";
import { whyView } from "./why-view.ts";

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 1_000;
export const DEFAULT_NEXT = 20;

const checks = new Checks("invalid_option");

/** Answers about tasks, queues and nodes. Reads only; what it shows was true in the ledger at one moment of the call. */
export class Reader {
  readonly #parts: EngineParts;
  readonly #lateAnswers: LateAnswers;

  constructor(parts: EngineParts, lateAnswers: LateAnswers) {
    this.#parts = parts;
    this.#lateAnswers = lateAnswers;
  }

  /** Null where the id has no row (any more). */
  async get(id: string): Promise<TaskView | null> {
    const [task] = await this.#parts.store.get([checkTaskId(id)]);
    return task === null || task === undefined ? null : taskView(this.#parts, task, this.#parts.clock.now());
  }

  /** Newest first. Errors: `invalid_filter` naming the key, `invalid_cursor`. */
  async find(options: FindOptions = {}): Promise<Page<TaskView>> {
    const given = filterChecks.object(options, FIND_OPTIONS, "options");
    const { cursor, limit } = given;
    const now = this.#parts.clock.now();
    const page = await this.#parts.store.find({
      ...readFilter(given),
      ...(cursor === undefined || cursor === null ? {} : { after: readCursor(cursor) }),
      limit: limit === undefined ? DEFAULT_PAGE : filterChecks.whole(limit, "limit", 1, MAX_PAGE),
      now,
    });
    return {
      items: page.tasks.map((task) => taskView(this.#parts, task, now)),
      nextCursor: page.next === null ? null : writeCursor(page.next),
    };
  }

  /** Every attempt with its log lines, the running one included, and every act on the task. Errors: `task_not_found`. */
  async history(id: string): Promise<HistoryView> {
    const { task, attempts, changes } = await this.#history(id);
    return { attempts: attemptViews(task, attempts), changes: changes.map(changeView) };
  }

  /** Errors: `task_not_found`. */
  async why(id: string): Promise<WhyView> {
    const history = await this.#history(id);
    return whyView(this.#parts, history, this.#lateAnswers.of(history.task.key));
  }

  /** Those known by code here, and those the ledger holds tasks or settings of. */
  async queues(): Promise<readonly QueueView[]> {
    const facts = await ledgerFacts(this.#parts);
    return queueNames(this.#parts, facts).map((name) => queueView(this.#parts, name, facts));
  }

  /** Errors: `unknown_queue`. */
  async queue(name: string): Promise<QueueView> {
    const facts = await ledgerFacts(this.#parts);
    const known = queueNames(this.#parts, facts);
    if (!known.includes(queueName(name))) throw unknownQueue(name, known);
    return queueView(this.#parts, queueName(name), facts);
  }

  /**
   * The next tasks of a queue in the order of their starts (A14), see `startOrder` for what that has to assume. Tasks of paused types and of types
   * without a handler here are left out; a paused queue is shown as if it were resumed now. Limit 1 to 1 000, default 20.
   */
  async next(name: string, limit: number = DEFAULT_NEXT): Promise<readonly NextView[]> {
    const wanted = checks.whole(limit, "limit", 1, MAX_PAGE);
    const queue = await this.#knownQueue(name);
    const { store, clock } = this.#parts;
    const settings = settingsOf(this.#parts, queue);
    const now = clock.now();
    const types = await this.#openTypes(queue);
    const lanes = await store.upcoming({ queue, lanes: settings.lanes, types, limit: MAX_PAGE, now });
    const order = startOrder<UpcomingTask>({
      settings,
      rotation: this.#parts.dispatch.rotation(queue),
      held: this.#held(settings),
      lanes,
      permits: (type) => this.#permits(typeName(type)),
      limit: wanted,
    });
    return order.map((task, index) => nextView(task, index, settings, now));
  }

  async nodes(): Promise<readonly NodeView[]> {
    return (await this.#parts.store.nodes()).map(nodeView);
  }

  async #history(value: string): Promise<TaskHistory> {
    const id = checkTaskId(value);
    const { store } = this.#parts;
    const history = await store.history(id);
    if (history !== null) return history;
    const [known] = await store.remembered([id]);
    throw notFound(id, known?.endedAt);
  }

  async #knownQueue(name: string): Promise<QueueName> {
    const known = queueNames(this.#parts, await ledgerFacts(this.#parts));
    if (!known.includes(queueName(name))) throw unknownQueue(name, known);
    return queueName(name);
  }

  /** Types whose tasks count: all those with a handler here and not paused; on a client without handlers all but the paused ones. */
  async #openTypes(queue: QueueName): Promise<readonly TypeName[]> {
    const { config, store } = this.#parts;
    const paused = pausedTypes(await store.overrides());
    const names =
      config.types.size > 0
        ? [...config.types.keys()]
        : (await store.depths()).filter((depth) => depth.queue === queue).map(({ type }) => type);
    return [...new Set(names)].filter((type) => !paused.has(type) && !this.#parts.dispatch.typeState(type)?.stopped);
  }

  #permits(type: TypeName): { readonly bound: number; readonly zombies: number } {
    const state = this.#parts.dispatch.typeState(type);
    return state === null
      ? { bound: Number.POSITIVE_INFINITY, zombies: 0 }
      : { bound: state.bound, zombies: state.zombies };
  }

  /** Slots held on this node, longest first. */
  #held(settings: QueueSettings): readonly HeldSlot[] {
    return this.#parts.dispatch
      .slots()
      .filter(({ queue, kind }) => queue === settings.name && kind !== "zombie")
      .sort((one, other) => (one.startedAt < other.startedAt ? -1 : one.startedAt > other.startedAt ? 1 : 0))
      .map(({ type, kind, weight }) => {
        const lane = laneUnder(settings.policy, weight);
        const admission: Admission = { lane, slot: kind === "burst" ? "burst" : "base" };
        return { type, admission };
      });
  }
}

function nextView(task: UpcomingTask, index: number, settings: QueueSettings, now: number): NextView {
  const { lane, ranking } = laneFacts(settings, task.weight);
  return {
    position: index + 1,
    id: task.id,
    type: task.type,
    name: task.name,
    weight: task.weight,
    effectiveWeight: ranking.kind === "fifo" ? task.weight : effectiveWeight(ranking, task.weight, task.since, now),
    lane,
  };
}
