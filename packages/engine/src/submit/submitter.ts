import type { SubmitAnswer, SubmitItem, SubmitOptions } from "../api.ts";
import type { EngineParts } from "../parts.ts";

export class Submitter {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  submit(type: string, payload: unknown, options?: SubmitOptions): Promise<SubmitAnswer> {
    void [this.#parts, type, payload, options];
    throw new Error("not built yet");
  }

  submitMany(items: readonly SubmitItem[]): Promise<readonly (SubmitAnswer | { readonly error: Error })[]> {
    void items;
    throw new Error("not built yet");
  }

  /** Resolves once every insert under way has been answered; the composition root awaits it before it closes the store. */
  idle(): Promise<void> {
    throw new Error("not built yet");
  }
}
