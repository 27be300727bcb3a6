/** Deeper nesting than this is refused before it is parsed: nothing that recurses over a value may run out of stack. */
export const MAX_NESTING = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSE: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Whether JSON text nests deeper than `limit`. One pass over the bytes, no stack; for text that is no JSON the answer means nothing. */
export function isNestedDeeper(bytes: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPEN.has(byte)) {
      depth += 1;
      if (depth > limit) return true;
    } else if (CLOSE.has(byte)) depth -= 1;
  }
  return false;
}

/** The path of the first key `__proto__` in a parsed value, or null. Recursion is bounded by `MAX_NESTING`. */
export function protoKeyIn(value: unknown, path = ""): string | null {
  if (typeof value !== "object" || value === null) return null;
  const isList = Array.isArray(value);
  for (const [key, part] of Object.entries(value)) {
    const here = isList ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    if (key === "__proto__") return here;
    const found = protoKeyIn(part, here);
    if (found !== null) return found;
  }
  return null;
}
