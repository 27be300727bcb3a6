/**
 * A list kept in order by a total order of its items. Arrivals go mostly to its end and departures come mostly from its head, and both of
 * these cost next to nothing; anything in between is found by halving and moved in one copy.
 */
export class SortedList<Item> {
  readonly #compare: (a: Item, b: Item) => number;
  #items: Item[] = [];
  /** Where the list begins in the array: what stood before it is gone. */
  #head = 0;

  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  at(index: number): Item | undefined {
    return index < 0 ? undefined : this.#items[this.#head + index];
  }

  first(): Item | undefined {
    return this.#items[this.#head];
  }

  add(item: Item): void {
    const last = this.#items.at(-1);
    if (this.length === 0 || last === undefined || this.#compare(last, item) < 0) this.#items.push(item);
    else this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** Removes the item that compares equal; a missing one is a broken index and throws. */
  remove(item: Item): void {
    const at = this.#placeOf(item);
    const found = this.#items[at];
    if (found === undefined || this.#compare(found, item) !== 0) throw new Error("the list does not hold the item");
    if (at > this.#head) this.#items.splice(at, 1);
    else this.#dropHead();
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let index = this.#head; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item !== undefined) yield item;
    }
  }

  /** The first position whose item is not before the given one. */
  #placeOf(item: Item): number {
    let low = this.#head;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#items[middle];
      if (found !== undefined && this.#compare(found, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #dropHead(): void {
    this.#head += 1;
    const drained = this.#head === this.#items.length;
    if (!drained && (this.#head < 1_024 || this.#head * 2 < this.#items.length)) return;
    this.#items = drained ? [] : this.#items.slice(this.#head);
    this.#head = 0;
  }
}
