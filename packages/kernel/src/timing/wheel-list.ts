/** A value on a timing wheel, and the handle to cancel it. Made by `TimingWheel.insert`; only the wheel writes to it. */
export class WheelEntry<Value> {
  /** When it is due, in whole ms. */
  readonly at: number;
  readonly value: Value;
  /** The list it lies in; null once it fired or was cancelled. */
  list: WheelList<Value> | null = null;
  before: WheelEntry<Value> | null = null;
  after: WheelEntry<Value> | null = null;

  constructor(at: number, value: Value) {
    this.at = at;
    this.value = value;
  }
}

/** Entries in insertion order, with the earliest due time among them. */
export class WheelList<Value> {
  head: WheelEntry<Value> | null = null;
  #tail: WheelEntry<Value> | null = null;
  /** The wheel's slot it stands for; -1 for the lists beside the wheel. */
  slot = -1;
  /** Never later than the earliest entry; Infinity where the list is empty. Exact until that entry is taken out before others. */
  earliest = Number.POSITIVE_INFINITY;

  append(entry: WheelEntry<Value>): void {
    entry.list = this;
    entry.before = this.#tail;
    if (this.#tail === null) this.head = entry;
    else this.#tail.after = entry;
    this.#tail = entry;
    if (entry.at < this.earliest) this.earliest = entry.at;
  }

  unlink(entry: WheelEntry<Value>): void {
    if (entry.before === null) this.head = entry.after;
    else entry.before.after = entry.after;
    if (entry.after === null) this.#tail = entry.before;
    else entry.after.before = entry.before;
    entry.list = null;
    entry.before = null;
    entry.after = null;
    if (this.head === null) this.earliest = Number.POSITIVE_INFINITY;
  }

  /** Takes all entries out, in order. */
  drain(): WheelEntry<Value>[] {
    const entries: WheelEntry<Value>[] = [];
    for (let entry = this.head; entry !== null; ) {
      const next = entry.after;
      entry.list = null;
      entry.before = null;
      entry.after = null;
      entries.push(entry);
      entry = next;
    }
    this.head = null;
    this.#tail = null;
    this.earliest = Number.POSITIVE_INFINITY;
    return entries;
  }
}
