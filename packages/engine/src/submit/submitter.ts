import { GivewayError, IdGenerator, laneOf } from "@giveway/kernel";
import type { InsertOutcome } from "@giveway/store";
import type { SubmitAnswer, SubmitItem, SubmitOptions, TypeRef } from "../api.ts";
import type { EngineParts } from "../parts.ts";
import type { Reservation } from "../ports.ts";
import { taskView } from "../read/task-view.ts";
import { bornRecord, type Draft, factsOf, handedOff } from "./draft.ts";
import { Duplicates, MAX_TRIES } from "./duplicates.ts";
import { type InsertAnswer, InsertBatcher } from "./insert-batcher.ts";
import { SubmitReader } from "./read-submit.ts";
import { type ItemAnswer, submitPages } from "./submit-many.ts";

/**
 * # How a task enters
 *
 * Check everything, write it, answer: a submit resolves only once its task is durable. Where a slot is free and nothing waits for it, the
 * task is born started (straight hand-off): its insert claims it for the reserved slot, which saves a commit. Whatever the ledger
 * answers, a reservation ends exactly once: started, or given back.
 */
export class Submitter {
  readonly #parts: EngineParts;
  readonly #reader: SubmitReader;
  readonly #batcher: InsertBatcher;
  readonly #duplicates: Duplicates;
  readonly ids: IdGenerator;
  #underWay = 0;
  #idle: (() => void)[] = [];

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.ids = new IdGenerator(parts.random);
    this.#reader = new SubmitReader(parts.config, this.ids);
    this.#batcher = new InsertBatcher(parts.store, () => parts.clock.now());
    this.#duplicates = new Duplicates(parts);
  }

  submit(type: TypeRef, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer> {
    return this.#counted(async () => {
      const read = this.#reader.read(type, payload, options, this.#parts.clock.now());
      return this.#write(read instanceof Promise ? await read : read);
    });
  }

  /**
   * One answer per item, in order; an item that is refused harms no other (V-31). Written in pages of at most 500 in the turn for bulk work,
   * one page being read while the one before is written, so memory and the wait of urgent submits stay bounded at any length.
   */
  submitMany(items: readonly SubmitItem[]): Promise<readonly ItemAnswer[]> {
    return this.#counted(() =>
      submitPages(items, this.#parts, {
        read: (type, payload, options) => this.#reader.read(type, payload, options, this.#parts.clock.now()),
        answer: (draft, inserted) => this.#answer(draft, inserted, null),
      }),
    );
  }

  /** Writes a task that was put together elsewhere: the rerun of a succeeded one. */
  insert(draft: Draft): Promise<SubmitAnswer> {
    return this.#counted(() => this.#write(draft));
  }

  /** Resolves once every submit under way has been answered; the composition root awaits it before it closes the store. */
  idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  async #counted<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Repeats only where the known task was removed between the insert and the answer. */
  async #write(draft: Draft): Promise<SubmitAnswer> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const answer = await this.#attempt(draft);
      if (answer !== null) return answer;
    }
    throw new GivewayError("changed_meanwhile", `task ${draft.task.id} came and went at every try; submit again`, {
      subject: draft.task.id,
    });
  }

  /** One insert and its answer; null: insert again. */
  async #attempt(draft: Draft): Promise<SubmitAnswer | null> {
    const { dispatch, clock } = this.#parts;
    const { queue, type, weight, dueAt, overrides } = draft.task;
    const now = clock.now();
    const due = dueAt <= now;
    const expired = overrides.expires !== undefined && overrides.expires <= now;
    const reservation = due && !expired ? dispatch.reserve(queue, type, weight) : null;
    // Whoever is submitted after this one must not be handed over before it is in the ledger.
    const inserted = due && reservation === null ? dispatch.inserting(queue) : NOTHING;
    try {
      return await this.#answer(draft, await this.#insert(draft, reservation), reservation);
    } finally {
      inserted();
    }
  }

  async #insert(draft: Draft, reservation: Reservation | null): Promise<InsertAnswer> {
    const handOff = reservation === null ? null : { node: this.#parts.nodeId, claimNo: reservation.claimNo };
    try {
      return await this.#batcher.add(
        { ...draft.task, handOff },
        laneOf(draft.task.weight) === "express" ? "express" : "normal",
      );
    } catch (error) {
      reservation?.release(isInDoubt(error));
      throw error;
    }
  }

  /** Null: insert again. */
  async #answer(
    draft: Draft,
    { outcome, at }: InsertAnswer,
    reservation: Reservation | null,
  ): Promise<SubmitAnswer | null> {
    if (outcome.kind === "created") return this.#created(draft, outcome, at, reservation);
    reservation?.release();
    return outcome.kind === "remembered"
      ? this.#duplicates.remembered(draft, outcome.remembered)
      : this.#duplicates.exists(draft, outcome.task);
  }

  #created(
    { task }: Draft,
    born: Extract<InsertOutcome, { kind: "created" }>,
    at: number,
    reservation: Reservation | null,
  ): SubmitAnswer {
    const { sink, dispatch, nodeId } = this.#parts;
    const record = bornRecord(task, born, at, nodeId);
    const facts = factsOf(record);
    sink.emit({
      kind: "submitted",
      at,
      task: born.handedOff ? { ...facts, attempt: 0 } : facts,
      ...(task.dueAt > at ? { data: { delay: task.dueAt - at } } : {}),
    });
    const claimed = reservation === null ? null : handedOff(task, born, at);
    if (reservation !== null && claimed !== null) {
      reservation.start(claimed);
    } else {
      reservation?.release();
      dispatch.arrived(task.queue, task.weight, task.dueAt);
    }
    return { task: taskView(this.#parts, record, at), created: true };
  }
}

const NOTHING = (): void => undefined;

/** Whether the insert may have been written although it was not answered. */
function isInDoubt(error: unknown): boolean {
  return !(error instanceof GivewayError) || error.code === "ledger_unavailable";
}
