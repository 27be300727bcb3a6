import { expect } from "vitest";
import type { TaskStore } from "../../task-store.ts";

/** What each ledger gives as it likes: left out of the comparison. Of `seq` and `next` only whether there is one is compared. */
const OWN = new Set(["key", "lastBeat", "clock", "provenDead", "self", "waitedForLock"]);
const OWN_NUMBERS = new Set(["seq", "next"]);

/** A store under test beside the reference: every call goes to both, and both have to answer the same. */
export class Pair {
  readonly store: TaskStore;
  readonly reference: TaskStore;
  /** For the message of a failure. */
  where = "";
  readonly #places = new Map<number, number>();

  constructor(store: TaskStore, reference: TaskStore) {
    this.store = store;
    this.reference = reference;
  }

  /** Answers what the reference answered. `call` is told which of the two it is, since keys differ. */
  async same<Answer>(
    what: string,
    call: (store: TaskStore, which: "store" | "reference") => Promise<Answer>,
  ): Promise<Answer> {
    const found = await call(this.store, "store");
    const expected = await call(this.reference, "reference");
    expect(plain(found), `${this.where}: ${what}`).toEqual(plain(expected));
    this.#notePlaces(found, expected);
    return expected;
  }

  /** Answers of both, not compared. */
  async both<Answer>(call: (store: TaskStore) => Promise<Answer>): Promise<{ store: Answer; reference: Answer }> {
    return { store: await call(this.store), reference: await call(this.reference) };
  }

  /** Whoever has the earlier place in one has it in the other. */
  assertOrder(): void {
    const places = [...this.#places].sort(([a], [b]) => a - b).map(([, place]) => place);
    expect(places, `${this.where}: places grow alike`).toEqual([...new Set(places)].sort((a, b) => a - b));
  }

  #notePlaces(found: unknown, expected: unknown): void {
    if (typeof found !== "object" || found === null || typeof expected !== "object" || expected === null) return;
    for (const [name, value] of Object.entries(expected)) {
      const own: unknown = (found as Record<string, unknown>)[name];
      if (name === "seq" && typeof value === "number" && typeof own === "number") {
        const before = this.#places.get(value);
        if (before !== undefined) expect(own, `${this.where}: place ${value}`).toBe(before);
        this.#places.set(value, own);
      } else this.#notePlaces(own, value);
    }
  }
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !OWN.has(name))
      .map(([name, part]) => [name, OWN_NUMBERS.has(name) && typeof part === "number" ? "given" : plain(part)]),
  );
}
