import { GivewayError } from "@giveway/kernel";
import type { SubmitAnswer, SubmitItem } from "../api.ts";
import { shown } from "../config/checks.ts";
import type { EngineParts } from "../parts.ts";
import type { Draft } from "./draft.ts";
import type { InsertAnswer } from "./insert-batcher.ts";

export const PAGE = 500;

export type ItemAnswer = SubmitAnswer | { readonly error: Error };

export interface ManySteps {
  read(type: unknown, payload: unknown, options: unknown): Draft | Promise<Draft>;
  /** Null: the known task was removed meanwhile. */
  answer(draft: Draft, inserted: InsertAnswer): Promise<SubmitAnswer | null>;
}

/** A page on its way: its items read, each a draft or the error that is its answer. */
type ReadPage = readonly (Draft | { readonly error: Error })[];

/**
 * Writes items page by page; see `Submitter.submitMany`. Once the ledger refuses a page, the rest gets the same error untried: whatever
 * stopped it would only be met again, and sending again is safe.
 */
export async function submitPages(
  items: readonly SubmitItem[],
  parts: EngineParts,
  steps: ManySteps,
): Promise<readonly ItemAnswer[]> {
  if (!Array.isArray(items)) {
    throw new GivewayError("invalid_option", `items: expected a list; got ${shown(items)}`, { field: "items" });
  }
  const answers: ItemAnswer[] = [];
  let writing: Promise<WrittenPage> = Promise.resolve({ answers: [], refused: null });
  for (let from = 0; from < items.length; from += PAGE) {
    const page = await readPage(items.slice(from, from + PAGE), steps);
    const before = await writing;
    answers.push(...before.answers);
    const { refused } = before;
    writing = refused === null ? writePage(page, parts, steps) : Promise.resolve(refusedPage(page, refused));
  }
  answers.push(...(await writing).answers);
  return answers;
}

interface WrittenPage {
  readonly answers: readonly ItemAnswer[];
  /** Why the ledger took none of it. */
  readonly refused: Error | null;
}

function refusedPage(page: ReadPage, error: Error): WrittenPage {
  return { answers: page.map((item) => ("error" in item ? item : { error })), refused: error };
}

function readPage(items: readonly unknown[], steps: ManySteps): Promise<ReadPage> {
  return Promise.all(
    items.map(async (item) => {
      try {
        if (typeof item !== "object" || item === null) {
          throw new GivewayError(
            "invalid_option",
            `item: expected an object with type and payload; got ${shown(item)}`,
          );
        }
        const { type, payload, ...options } = item as SubmitItem;
        return await steps.read(type, payload, options);
      } catch (error) {
        return { error: asError(error) };
      }
    }),
  );
}

async function writePage(page: ReadPage, parts: EngineParts, steps: ManySteps): Promise<WrittenPage> {
  const drafts = page.filter((item): item is Draft => !("error" in item));
  // While they are on their way nothing that comes later is handed over in their queues.
  const done = [...new Set(drafts.map(({ task }) => task.queue))].map((queue) => parts.dispatch.inserting(queue));
  try {
    return await answerPage(page, await insertBulk(drafts, parts), steps);
  } catch (thrown) {
    return refusedPage(page, asError(thrown));
  } finally {
    for (const inserted of done) inserted();
  }
}

async function answerPage(page: ReadPage, inserted: readonly InsertAnswer[], steps: ManySteps): Promise<WrittenPage> {
  let next = 0;
  const answers = await Promise.all(
    page.map((item): ItemAnswer | Promise<ItemAnswer> => {
      if ("error" in item) return item;
      const answer = inserted[next]!;
      next += 1;
      return answerItem(item, answer, steps);
    }),
  );
  return { answers, refused: null };
}

async function insertBulk(drafts: readonly Draft[], { store, clock }: EngineParts): Promise<readonly InsertAnswer[]> {
  if (drafts.length === 0) return [];
  const at = clock.now();
  const outcomes = await store.insert(
    drafts.map(({ task }) => ({ ...task, handOff: null })),
    "bulk",
    at,
  );
  return outcomes.map((outcome) => ({ outcome, at }));
}

async function answerItem(draft: Draft, inserted: InsertAnswer, steps: ManySteps): Promise<ItemAnswer> {
  try {
    const answer = await steps.answer(draft, inserted);
    return answer ?? { error: goneMeanwhile(draft) };
  } catch (error) {
    return { error: asError(error) };
  }
}

function goneMeanwhile(draft: Draft): GivewayError {
  const { id } = draft.task;
  return new GivewayError("changed_meanwhile", `task ${id} was removed while it was submitted; submit again`, {
    subject: id,
  });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new GivewayError("internal", `submit: ${String(thrown)}`);
}
