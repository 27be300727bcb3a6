import {
  type ChangeActor,
  decideReplace,
  GivewayError,
  judgeDuplicate,
  type KnownTask,
  type TaskRecord,
} from "@giveway/kernel";
import type { RememberedId } from "@giveway/store";
import type { SubmitAnswer } from "../api.ts";
import type { EngineParts } from "../parts.ts";
import { taskView } from "../read/task-view.ts";
import { type Draft, factsOf, prunedRecord } from "./draft.ts";

/** How often a change is decided anew because somebody else was quicker. */
export const MAX_TRIES = 10;

const SUBMITTER: ChangeActor = { by: "api", cause: "onDuplicate: replace" };

/**
 * What a submit answers whose id is known (A8, V-29). The rule per state and payload is the table in `docs/guides/submitting.md`.
 */
export class Duplicates {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Null: the known task was removed meanwhile, so the id is free; insert again. */
  async exists(draft: Draft, existing: TaskRecord): Promise<SubmitAnswer | null> {
    if (draft.onDuplicate === "replace") return this.#replace(draft, existing);
    this.#assertSame(draft, existing, `task ${existing.state}`);
    return this.#answer(draft, existing, {});
  }

  remembered(draft: Draft, known: RememberedId): SubmitAnswer {
    const replaces = draft.onDuplicate === "replace";
    if (!replaces || known.type !== draft.task.type) this.#assertSame(draft, known, "succeeded task whose row is gone");
    const reason = replaces ? { reason: `task ${known.id} has succeeded and can't be replaced` } : {};
    return this.#answer(draft, prunedRecord(draft.task, known), { pruned: true, ...reason });
  }

  #answer(
    draft: Draft,
    existing: TaskRecord,
    more: { readonly pruned?: true; readonly reason?: string },
  ): SubmitAnswer {
    const now = this.#parts.clock.now();
    const rejected = draft.onDuplicate === "reject";
    this.#parts.sink.emit({
      kind: "duplicate",
      at: now,
      task: factsOf(existing),
      data: { outcome: existing.state, reason: more.reason ?? (rejected ? "rejected" : "returned") },
    });
    if (rejected) throw duplicateId(existing);
    return { task: taskView(this.#parts, existing, now), created: false, ...more };
  }

  #assertSame(draft: Draft, known: KnownTask, what: string): void {
    const verdict = judgeDuplicate(known, draft.task);
    if (verdict.kind === "conflict") throw idConflict(draft, known, verdict.field, what);
  }

  async #replace(draft: Draft, first: TaskRecord): Promise<SubmitAnswer | null> {
    const { store, clock } = this.#parts;
    let task = first;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (task.type !== draft.task.type) throw idConflict(draft, task, "type", `task ${task.state}`);
      const now = clock.now();
      const decision = unlessForbidden(() => decideReplace(task, draft.task, now, SUBMITTER));
      if (decision instanceof GivewayError) return this.#answer(draft, task, { reason: decision.message });
      const [outcome] = await store.change([{ ...decision, id: task.id, version: task.version }], now);
      if (outcome?.kind === "applied") return this.#replaced(outcome.task, now);
      if (outcome === undefined || outcome.task === null) return null;
      task = outcome.task;
    }
    throw new GivewayError("changed_meanwhile", `task ${task.id} changed at every try to replace it; submit again`, {
      subject: task.id,
    });
  }

  #replaced(task: TaskRecord, now: number): SubmitAnswer {
    const { sink, dispatch } = this.#parts;
    sink.emit({ kind: "submitted", at: now, task: factsOf(task), data: { reason: "replaced" } });
    dispatch.arrived(task.queue, task.weight, task.dueAt);
    return { task: taskView(this.#parts, task, now), created: true };
  }
}

/** The decision, or the `wrong_state` that says why there is none. */
function unlessForbidden<Decision>(decide: () => Decision): Decision | GivewayError {
  try {
    return decide();
  } catch (error) {
    if (error instanceof GivewayError && error.code === "wrong_state") return error;
    throw error;
  }
}

function idConflict(
  draft: Draft,
  known: { readonly type: string },
  field: "type" | "payload",
  what: string,
): GivewayError {
  const { id, type } = draft.task;
  const differs =
    field === "type" ? `it has type ${known.type}, this submit has ${type}` : "its payload differs from this submit's";
  return new GivewayError("id_conflict", `id ${id} belongs to another ${what}: ${differs}; use another id`, {
    field,
    subject: id,
  });
}

function duplicateId(existing: TaskRecord): GivewayError {
  return new GivewayError("duplicate_id", `id ${existing.id} is known: its task is ${existing.state}`, {
    field: "id",
    subject: existing.id,
  });
}
