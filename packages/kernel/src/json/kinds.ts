/** Something that can't be stored as it is: what it is, and what to do instead. */
export interface Misfit {
  readonly what: string;
  readonly advice: string;
}

/** Primitives that JSON has no word for. */
export function misfitOf(value: unknown): Misfit {
  switch (typeof value) {
    case "bigint":
      return { what: "a BigInt", advice: "make it a string or a number" };
    case "number":
      return { what: String(value), advice: "use null or a string" };
    case "undefined":
      return { what: "undefined", advice: "use null" };
    case "function":
      return { what: "a function", advice: "pass plain data" };
    case "symbol":
      return { what: "a symbol", advice: "make it a string" };
    default:
      return { what: "a value", advice: "pass plain data" };
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  Map: "use Object.fromEntries or a list of pairs",
  Set: "use a list",
  Error: "pass its message",
  RegExp: "pass its source",
};

/**
 * An object that would come back empty or as something else: maps, sets, errors, binary data and other built-ins without a `toJSON`. Null for
 * plain objects and for instances of ordinary classes, whose own fields are stored. Told by the built-in tag, so that an object of another
 * realm is told as well.
 */
export function lossyObject(value: object): Misfit | null {
  if (ArrayBuffer.isView(value)) return { what: `binary data (${tagOf(value)})`, advice: "use base64 text" };
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return null;
  const tag = tagOf(value);
  if (tag === "Object") return null;
  if (tag === "ArrayBuffer" || tag === "SharedArrayBuffer") return { what: "binary data", advice: "use base64 text" };
  return { what: `${/^[AEIO]/.test(tag) ? "an" : "a"} ${tag}`, advice: ADVICE[tag] ?? "pass plain data" };
}

/** `Map`, `Date`, `Object` …: the tag's own text, cut, since a stranger may have set it. */
export function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1).slice(0, 40);
}
