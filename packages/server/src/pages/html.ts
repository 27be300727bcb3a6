/** HTML that is known to be safe: made by `html` only. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[];

/** A template whose every inserted value is text, unless it came from such a template itself (V-45). */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((out, string, at) => out + toText(parts[at - 1] ?? "") + string));
}

function toText(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map(toText).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

/** Text with `code` marks, as descriptions use them. */
export function marked(text: string): readonly Html[] {
  return text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
