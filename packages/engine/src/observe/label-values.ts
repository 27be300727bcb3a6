/** A label has at most so many values of its own. */
export const MAX_LABEL_VALUES = 200;
/** Where all others are counted. */
export const OTHER = "other";

/**
 * Keeps the number of series a matter of configuration, whatever comes over the wire (V-44): names known from code get a label value of
 * their own, the first 200 of them; all other names share `other`.
 */
export class LabelValues {
  readonly #own: ReadonlySet<string>;

  constructor(known: Iterable<string>) {
    const own = new Set<string>();
    for (const name of known) {
      if (own.size >= MAX_LABEL_VALUES) break;
      own.add(name);
    }
    this.#own = own;
  }

  of(name: string): string {
    return this.#own.has(name) ? name : OTHER;
  }
}
