/**
 * Text from tasks is data: before it reaches a terminal, everything that could move the cursor, change colours or reorder what a person
 * reads is shown as an escape (V-45). Line breaks and tabs too, since a row of a table is one line.
 */
const UNSAFE =
  // C0, DEL and C1 controls; bidirectional marks, embeddings, overrides and isolates; line and paragraph separators; byte-order mark.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be found
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]/g;

export function terminalText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Any JSON value on one line, safe for a terminal, cut to a length. */
export function jsonText(value: unknown, longest = 2000): string {
  return cut(terminalText(JSON.stringify(value) ?? "null"), longest);
}

/** Cuts a text to so many characters, with an ellipsis in the last place. */
export function cut(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, Math.max(0, longest - 1)).join("")}…`;
}
