import { read } from "../safe-read.ts";
import { lossyObject, type Misfit, misfitOf, tagOf } from "./kinds.ts";
import { pathText } from "./path.ts";
import { fitsUtf8 } from "./utf8.ts";

/**
 * Levels of lists and objects within each other. Far beyond what people write, and within what every ledger's own JSON functions read
 * (SQLite: 1 000) and what a recursive reader survives.
 */
export const MAX_DEPTH = 500;

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

/** Text that needs no escape and holds no surrogate: most of it, told by one look. */
const SIMPLE = /^[\x20\x21\x23-\x5b\x5d-\ud7ff\ue000-\uffff]*$/;

/**
 * Writes one value as JSON in one pass, every property read once, so that what was checked is what is written, whatever getters and proxies
 * do. Strict: the first part that can't be stored is a `Refusal` with its path. Lenient: such a part is replaced by a text that names it,
 * and `note` tells of the first.
 */
export class JsonWriter {
  readonly #field: string;
  readonly #maxBytes: number;
  readonly #lenient: boolean;
  /** The way to the present place, and the containers along it. */
  readonly #keys: (string | number)[] = [];
  readonly #parents: object[] = [];
  #out = "";
  #replaced = 0;
  #firstNote = "";

  constructor(field: string, maxBytes: number, lenient: boolean) {
    this.#field = field;
    this.#maxBytes = maxBytes;
    this.#lenient = lenient;
  }

  write(value: unknown): string {
    if (!this.#value(value, "")) this.#misfit(misfitOf(undefined));
    const text = this.#out;
    if (!fitsUtf8(text, this.#maxBytes)) throw this.#tooLarge();
    return text;
  }

  /** What was written so far: the beginning of a value that was too large. */
  get written(): string {
    return this.#out;
  }

  /** Lenient: what was replaced, in one line; null for nothing. */
  get note(): string | null {
    if (this.#replaced === 0) return null;
    return this.#replaced === 1 ? this.#firstNote : `${this.#firstNote} (and ${this.#replaced - 1} more)`;
  }

  /** Appends a value; false where JSON has none (undefined), so that the caller decides what that means at its place. */
  #value(value: unknown, key: string): boolean {
    switch (typeof value) {
      case "string":
        this.#text(value);
        return true;
      case "number":
        if (Number.isFinite(value)) this.#out += value;
        else this.#misfit(misfitOf(value));
        return true;
      case "boolean":
        this.#out += value ? "true" : "false";
        return true;
      case "object":
        if (value !== null) return this.#object(value, key);
        this.#out += "null";
        return true;
      case "undefined":
        return false;
      default:
        this.#misfit(misfitOf(value));
        return true;
    }
  }

  /** Whatever a getter, a proxy or a `toJSON` throws is a fault of the value, told with the place where it happened. */
  #object(value: object, key: string): boolean {
    const { length: depth } = this.#parents;
    const before = this.#out;
    try {
      return this.#convert(value, key);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const message = read(error, "message");
      const said = typeof message === "string" ? `: ${message.slice(0, 200).toWellFormed()}` : "";
      const place = pathText(this.#field, this.#keys);
      this.#parents.length = depth;
      this.#keys.length = depth;
      this.#out = before;
      this.#misfit({ what: "a value that throws when it is read", advice: `pass plain data${said}` }, place);
      return true;
    }
  }

  #convert(value: object, key: string): boolean {
    const toJson = (value as { toJSON?: unknown }).toJSON;
    if (typeof toJson !== "function") return this.#container(value);
    // Node's Buffer has a toJSON, but what it writes comes back as another thing.
    if (ArrayBuffer.isView(value)) return this.#container(value);
    const answer: unknown = toJson.call(value, key);
    if (typeof answer === "object" && answer !== null) return this.#container(answer);
    if (answer === null && tagOf(value) === "Date") {
      this.#misfit({ what: "an invalid Date", advice: "check it before" });
      return true;
    }
    return this.#value(answer, key);
  }

  #container(value: object): boolean {
    if (this.#parents.length >= MAX_DEPTH) {
      this.#misfit({ what: `nesting deeper than ${MAX_DEPTH} levels`, advice: "pass flatter data" });
      return true;
    }
    const above = this.#parents.indexOf(value);
    if (above >= 0) {
      const back = pathText(this.#field, this.#keys.slice(0, above));
      this.#misfit({ what: `a circle (it refers back to ${back})`, advice: "pass an id instead" });
      return true;
    }
    this.#parents.push(value);
    const written = Array.isArray(value) ? this.#list(value) : this.#fields(value);
    this.#parents.pop();
    return written;
  }

  #list(items: readonly unknown[]): boolean {
    const { length } = items;
    this.#out += "[";
    for (let index = 0; index < length; index += 1) {
      if (index > 0) this.#out += ",";
      this.#keys.push(index);
      // A hole or undefined would come back as null: refused, or null where nothing may be refused.
      if (!this.#value(items[index], String(index))) {
        if (this.#lenient) this.#out += "null";
        else this.#misfit(misfitOf(undefined));
      }
      this.#keys.pop();
      this.#checkSize();
    }
    this.#out += "]";
    return true;
  }

  #fields(value: object): boolean {
    const lossy = lossyObject(value);
    if (lossy !== null) {
      this.#misfit(lossy);
      return true;
    }
    const fields = value as Record<string, unknown>;
    let separator = "{";
    for (const key of Object.keys(fields)) {
      const item = fields[key];
      // Left out as JSON does it: in TypeScript an optional field that is undefined and one that is absent mean the same.
      if (item === undefined) continue;
      this.#keys.push(key);
      const before = this.#out;
      this.#out += separator;
      if (this.#key(key) && this.#value(item, key)) separator = ",";
      else this.#out = before;
      this.#keys.pop();
      this.#checkSize();
    }
    this.#out += separator === "{" ? "{}" : "}";
    return true;
  }

  /** False where the key, and its value with it, is left out (lenient only). */
  #key(key: string): boolean {
    if (key === "__proto__") {
      if (!this.#lenient) throw this.#refusal({ what: "the key __proto__", advice: "rename it" });
      this.#remark({ what: "the key __proto__", advice: "left out" });
      return false;
    }
    this.#text(key);
    this.#out += ":";
    return true;
  }

  #text(text: string): void {
    // Looked at before any work is spent on a megabyte that will be refused.
    if (text.length > this.#maxBytes) {
      this.#out += JSON.stringify(text.slice(0, 2_000).toWellFormed().replaceAll("\0", "\ufffd"));
      throw this.#tooLarge();
    }
    if (SIMPLE.test(text)) {
      this.#out += `"${text}"`;
      return;
    }
    const fault = textFault(text);
    if (fault === null) {
      this.#out += JSON.stringify(text);
      return;
    }
    if (!this.#lenient) throw this.#refusal(fault);
    this.#remark(fault);
    this.#out += JSON.stringify(text.toWellFormed().replaceAll("\0", "\ufffd"));
  }

  /** A part that can't be stored: a refusal, or a text in its place. What JSON itself writes as null stays null. */
  #misfit(misfit: Misfit, place?: string): void {
    if (!this.#lenient) throw this.#refusal(misfit, place);
    this.#remark(misfit, place);
    const isNumber = misfit.what === "NaN" || misfit.what.endsWith("Infinity");
    this.#out += isNumber ? "null" : JSON.stringify(`[not stored: ${misfit.what}]`);
  }

  #remark(misfit: Misfit, place = pathText(this.#field, this.#keys)): void {
    this.#replaced += 1;
    if (this.#replaced === 1) this.#firstNote = `${place}: ${misfit.what} was not stored`;
  }

  #refusal(misfit: Misfit, place = pathText(this.#field, this.#keys)): Refusal {
    return new Refusal(place, `${misfit.what} can't be stored; ${misfit.advice}`, "unstorable");
  }

  #checkSize(): void {
    if (this.#out.length > this.#maxBytes) throw this.#tooLarge();
  }

  #tooLarge(): Refusal {
    const message = `is larger than ${this.#maxBytes} bytes of JSON; keep the data elsewhere and pass a reference`;
    return new Refusal(this.#field, message, "too_large");
  }
}

function textFault(text: string): Misfit | null {
  if (text.includes("\0")) return { what: "text with a NUL character", advice: "remove it" };
  return text.isWellFormed() ? null : { what: "text with half of a surrogate pair", advice: "use toWellFormed()" };
}
