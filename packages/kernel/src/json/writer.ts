/** Why a value can't be written. */
export class Refusal extends Error {
  readonly path: string;
  readonly kind: "unstorable" | "too_large";

  constructor(path: string, message: string, kind: "unstorable" | "too_large") {
    super(message);
    this.path = path;
    this.kind = kind;
  }
}

export class JsonWriter {
  readonly #field: string;
  note: string | null = null;

  constructor(field: string, _maxBytes: number, _lenient: boolean) {
    this.#field = field;
  }

  write(value: unknown): string {
    const text: unknown = JSON.stringify(value);
    if (typeof text !== "string") throw new Refusal(this.#field, "can't be stored", "unstorable");
    return text;
  }
}
