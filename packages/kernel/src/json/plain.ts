/** Deeper values are left to the writer, which knows circles and counts levels. */
const FAST_DEPTH = 32;

/** Marks that only the writer can judge: an escaped control character or half surrogate, and the forbidden key. */
const SUSPECT = /\\u|__proto__/;

/**
 * The fast path of every submit: text by the engine's own JSON where a walk without allocation finds nothing but plain data, and null where
 * anything asks for a closer look (the writer then decides, never this). Storability is judged on the text itself, so a getter that
 * answers differently the second time can spoil its own value, but not the ledger. Null too for what may be too large, before it is built.
 */
export function plainJson(value: unknown, maxChars: number): string | null {
  try {
    if (!(sizeOf(value, maxChars, FAST_DEPTH) <= maxChars)) return null;
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" && !SUSPECT.test(text) ? text : null;
  } catch {
    return null;
  }
}

const NOT_PLAIN = Number.POSITIVE_INFINITY;

/** A lower bound of the characters it takes, or infinity for anything but plain data. */
function sizeOf(value: unknown, limit: number, levels: number): number {
  switch (typeof value) {
    case "string":
      return value.length;
    case "number":
      return Number.isFinite(value) ? 1 : NOT_PLAIN;
    case "boolean":
      return 1;
    case "object":
      return value === null ? 1 : sizeOfObject(value, limit, levels - 1);
    default:
      return NOT_PLAIN;
  }
}

function sizeOfObject(value: object, limit: number, levels: number): number {
  if (levels === 0 || typeof (value as { toJSON?: unknown }).toJSON === "function") return NOT_PLAIN;
  let size = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && size <= limit; index += 1) size += sizeOf(value[index], limit, levels);
    return size;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return NOT_PLAIN;
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) size += sizeOf(item, limit, levels) + 3;
    if (size > limit) return size;
  }
  return size;
}
