import {
  assertRemovable,
  type ChangeActor,
  decideCancel,
  decideEdit,
  decideRerun,
  decideReweight,
  type EditContext,
  type EditInput,
  GivewayError,
  type JsonText,
  parseDuration,
  parseWeight,
  type TaskRecord,
  type WeightInput,
} from "@giveway/kernel";
import type { Actor, EditPatch, QueuePatch, RedriveOptions, RerunOptions, TaskFilter, TaskView } from "../api.ts";
import { EDIT_OPTIONS, RERUN_OPTIONS } from "../config/option-names.ts";
import type { EngineParts } from "../parts.ts";
import type { EngineEvent, EventData } from "../ports.ts";
import { settingsOf } from "../read/queue-facts.ts";
import { taskView } from "../read/task-view.ts";
import { factsOf } from "../submit/draft.ts";
import { MAX_TRIES } from "../submit/duplicates.ts";
import { readPayload } from "../submit/read-payload.ts";
import { readDueAt } from "../submit/read-submit.ts";
import type { Submitter } from "../submit/submitter.ts";
import { actorOf, changeChecks, readActor } from "./actor.ts";
import { type Changed, changedMeanwhile, changeTask, notFound, readTask } from "./guarded-change.ts";
import { LiveChanges } from "./live-changes.ts";
import { Pace } from "./pace.ts";
import { type RedriveAnswer, redrive } from "./redrive.ts";

/** Changes by people and programs. `setQueue` writes only; the composition root answers with `Reader.queue`. */
export class Admin {
  readonly #parts: EngineParts;
  readonly #submitter: Submitter;
  readonly #live: LiveChanges;
  readonly #pace: Pace;

  constructor(parts: EngineParts, submitter: Submitter) {
    this.#parts = parts;
    this.#submitter = submitter;
    this.#live = new LiveChanges(parts);
    this.#pace = new Pace(parts.clock);
  }

  /** Cancelled once this resolves, whatever its handler still does; a repeat answers the cancelled task. Errors: `wrong_state`, `task_not_found`. */
  async cancel(id: string, actorGiven?: Actor): Promise<TaskView> {
    const actor = readActor(actorGiven);
    const changed = await changeTask(this.#parts, id, (task, now) =>
      task.state === "cancelled" ? null : decideCancel(task, now, actor),
    );
    if (changed.decision === null) return this.#view(changed);
    const { before, task } = changed;
    const started = before.state === "running" && before.startedAt !== null;
    this.#emit("cancelled", changed, actor, { reason: "by_hand", ...(started ? { outcome: "cancelled" } : {}) });
    if (before.state === "running") this.#parts.dispatch.changed(task, "cancelled");
    return this.#view(changed);
  }

  /** Acts at once on waiting, delayed and running tasks (B1). */
  async reweight(id: string, weightGiven: WeightInput, actorGiven?: Actor): Promise<TaskView> {
    const weight = parseWeight(weightGiven);
    const actor = readActor(actorGiven);
    const changed = await changeTask(this.#parts, id, (task, now) =>
      decideReweight(task, weight, this.#context(task), now, actor),
    );
    return this.#edited("reweighted", changed, actor);
  }

  /** Several fields in one write; what the task's state forbids is refused as a whole, naming the field. */
  async edit(id: string, patch: EditPatch, actorGiven?: Actor): Promise<TaskView> {
    const actor = readActor(actorGiven);
    const given = changeChecks.object(patch, EDIT_OPTIONS, "options");
    if (Object.values(given).every((value) => value === undefined)) {
      changeChecks.fail("options", `nothing to change: give at least one of ${EDIT_OPTIONS.join(", ")}`);
    }
    const fields = this.#readEdit(given);
    const changed = await changeTask(this.#parts, id, async (task, now) =>
      decideEdit(task, { ...fields, ...(await this.#payload(task, given)) }, this.#context(task), now, actor),
    );
    return this.#edited(isOnlyWeight(given) ? "reweighted" : "edited", changed, actor);
  }

  /** A dead or cancelled task goes on as the same task; a succeeded one begins as a new one (`created: true`, `rerunOf`). */
  async rerun(id: string, options?: RerunOptions): Promise<{ readonly task: TaskView; readonly created: boolean }> {
    const given = options === undefined ? {} : changeChecks.object(options, RERUN_OPTIONS, "options");
    const actor = actorOf(given);
    const delay = given["delay"] === undefined ? 0 : parseDuration(given["delay"], "delay");
    const task = await readTask(this.#parts, id);
    if (task.state === "succeeded") return this.#again(task, await this.#payload(task, given), delay);
    const changed = await changeTask(this.#parts, id, async (current, now) => {
      this.#assertSettled(current);
      const payload = await this.#payload(current, given);
      return decideRerun(current, { ...payload, dueAt: now + delay }, now, actor);
    });
    this.#emit("rerun", changed, actor, { reason: "rerun", ...(delay > 0 ? { delay } : {}) });
    this.#arrived(changed.task);
    return { task: this.#view(changed), created: false };
  }

  /** Deletes a task that isn't running, with its history. Errors: `wrong_state`, `task_not_found`. */
  async remove(id: string, actorGiven?: Actor): Promise<void> {
    const { store, clock } = this.#parts;
    const actor = readActor(actorGiven);
    let task = await readTask(this.#parts, id);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      assertRemovable(task);
      const at = clock.now();
      const [outcome] = await store.remove([{ id: task.id, version: task.version }], at);
      if (outcome?.kind === "removed") {
        this.#emit("removed", { before: task, task, at }, actor, { reason: task.state });
        return;
      }
      if (outcome === undefined || outcome.task === null) throw notFound(task.id);
      task = outcome.task;
    }
    throw changedMeanwhile(task.id);
  }

  /** Dead letters back to waiting, see `redrive.ts`. Progress shows as one `rerun` event per task. */
  redrive(filter: TaskFilter & { readonly ids?: readonly string[] }, options?: RedriveOptions): Promise<RedriveAnswer> {
    return redrive(this.#parts, this.#pace, filter, options, (before, task, actor, at) => {
      this.#emit("rerun", { before, task, at }, actor, { reason: "redriven" });
      this.#arrived(task);
    });
  }

  pause(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void> {
    return this.#live.pause(target, true, actor);
  }

  resume(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void> {
    return this.#live.pause(target, false, actor);
  }

  setQueue(name: string, patch: QueuePatch): Promise<void> {
    return this.#live.setQueue(name, patch);
  }

  /** Ends redrives that wait for their rate; they reject with `stopped`. */
  close(): void {
    this.#pace.close();
  }

  #readEdit(given: Readonly<Record<string, unknown>>): EditInput {
    const { weight, name, delay, runAt } = given;
    return {
      ...(weight === undefined ? {} : { weight: parseWeight(weight) }),
      ...(name === undefined ? {} : { name: name === null ? null : changeChecks.text(name, "name", 200) }),
      ...(delay === undefined && runAt === undefined ? {} : { dueAt: readDueAt(given, this.#parts.clock.now()) }),
    };
  }

  /** The new payload, checked by the type of the task it is for. */
  async #payload(task: TaskRecord, given: Readonly<Record<string, unknown>>): Promise<{ readonly payload?: JsonText }> {
    if (given["payload"] === undefined) return {};
    const { config } = this.#parts;
    const read = await readPayload(given["payload"], config.types.get(task.type) ?? null, config.maxPayload);
    return { payload: read.text };
  }

  #context(task: TaskRecord): EditContext {
    return { policy: settingsOf(this.#parts, task.queue).policy };
  }

  #edited(kind: "reweighted" | "edited", changed: Changed, actor: ChangeActor): TaskView {
    const { decision, task } = changed;
    if (decision === null) return this.#view(changed);
    this.#emit(kind, changed, actor, {
      before: decision.record?.before ?? "null",
      after: decision.record?.after ?? "null",
    });
    if (task.state === "waiting") this.#arrived(task);
    if (task.state === "running") this.#parts.dispatch.changed(task, "reweighted");
    return this.#view(changed);
  }

  /** A handler that was told of its cancel and hasn't settled would run beside the new attempt. */
  #assertSettled(task: TaskRecord): void {
    const local = task.state === "cancelled" ? this.#parts.dispatch.local(task.id) : null;
    if (local === null || local.key !== task.key || local.phase !== "settling") return;
    throw new GivewayError(
      "wrong_state",
      `task ${task.id} is cancelled but its handler has not settled yet; run it again once it has`,
      { subject: task.id, retryable: true },
    );
  }

  async #again(
    task: TaskRecord,
    { payload }: { readonly payload?: JsonText },
    delay: number,
  ): Promise<{ readonly task: TaskView; readonly created: boolean }> {
    const now = this.#parts.clock.now();
    const { ids } = this.#submitter;
    const { expires: _passed, ...overrides } = task.overrides;
    const answer = await this.#submitter.insert({
      onDuplicate: "return",
      task: {
        id: ids.taskId(now),
        type: task.type,
        queue: task.queue,
        name: task.name,
        weight: task.weight,
        payload: payload ?? task.payload,
        overrides,
        requestId: ids.requestId(now),
        rerunOf: task.id,
        dueAt: now + delay,
      },
    });
    return { task: answer.task, created: answer.created };
  }

  #arrived(task: TaskRecord): void {
    this.#parts.dispatch.arrived(task.queue, task.weight, task.dueAt);
  }

  #emit(
    kind: EngineEvent["kind"],
    { task, at }: Pick<Changed, "before" | "task" | "at">,
    actor: ChangeActor,
    data: EventData,
  ): void {
    this.#parts.sink.emit({ kind, at, task: factsOf(task), data: { ...data, by: actor.by } });
  }

  #view({ task }: Changed): TaskView {
    return taskView(this.#parts, task, this.#parts.clock.now());
  }
}

function isOnlyWeight(given: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(given).every(([key, value]) => key === "weight" || value === undefined);
}
