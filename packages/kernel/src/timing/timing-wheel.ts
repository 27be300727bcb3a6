import { WheelEntry, WheelList } from "./wheel-list.ts";

const LEVELS = 7;
const SLOTS = 64;
/** 64 to the power of the level, and its exact inverse: how many ms one slot of a level spans. */
const SPAN: readonly number[] = Array.from({ length: LEVELS + 1 }, (_, level) => SLOTS ** level);
const PER_SPAN: readonly number[] = SPAN.map((span) => 1 / span);

/**
 * A hierarchical timing wheel (D15): holds values until their time, names its next event, and fires what is due in order of due time,
 * insertion order on ties. It has no tick: who owns it arms one timer to `nextAt()`, calls `advance(now)`, and arms again.
 *
 * ## How it works
 *
 * Time in whole ms is read as digits to the base 64. An entry lies in the level of the highest digit in which its time differs from the
 * wheel's own (`current`), in the slot of its digit there. So
 * - everything in a level comes before everything in the levels above, and within a level slots come in order of their digit;
 * - entries of the same ms always share a list, and since a slot's list is passed on in order, they keep their insertion order;
 * - the next event is the lowest occupied slot of the lowest occupied level: found by bitmaps, without a search.
 * When `current` enters a slot of a higher level, that list is dealt out to the levels below. Seven levels span 2^42 ms (139 years); what
 * lies in another such era waits in one list until its era begins. Times are plain numbers, so nothing overflows.
 *
 * ## What it promises
 *
 * - Never early: fractions of a ms count as the next whole one, and `now` as the last whole one.
 * - A value whose time has come already when it is inserted fires at the next `advance`, also when inserted by a firing callback.
 *   A callback that inserts a time between the one being fired and `now` sees it fired in the same call, in order.
 * - Going back in time is harmless: when `now` lies before the wheel's own time, nothing fires and the entries are dealt anew (once, O(n)).
 * - A callback may insert and cancel. If it throws, its own entry is spent, the error goes to the caller, and the rest stays for the next call.
 *
 * Costs: insert, cancel and nextAt O(1); an entry is dealt out at most 6 times before it fires.
 */
export class TimingWheel<Value> {
  #current: number;
  #size = 0;
  #advancing = false;
  readonly #slots: readonly WheelList<Value>[] = Array.from({ length: LEVELS * SLOTS }, () => new WheelList<Value>());
  /** Occupancy of each level's slots, 0 to 31 and 32 to 63. */
  readonly #low = new Int32Array(LEVELS);
  readonly #high = new Int32Array(LEVELS);
  /** Entries beyond the present era of 2^42 ms. */
  readonly #later = new WheelList<Value>();
  /** Entries whose time was not after `current` when they came. */
  readonly #overdue = new WheelList<Value>();
  /** Entries of one ms being fired; what a throwing callback left stays here. */
  readonly #firing = new WheelList<Value>();

  /** `now` is where its time begins: ms, on the clock that all other times given to it are on. */
  constructor(now: number) {
    this.#current = wholeMs(Math.floor(now));
  }

  get size(): number {
    return this.#size;
  }

  /** Keeps a value until `at`. */
  insert(at: number, value: Value): WheelEntry<Value> {
    const entry = new WheelEntry(wholeMs(Math.ceil(at)), value);
    this.#place(entry);
    this.#size += 1;
    return entry;
  }

  /** Forgets an entry. False where it fired or was cancelled before. */
  cancel(entry: WheelEntry<Value>): boolean {
    const list = entry.list;
    if (list === null) return false;
    list.unlink(entry);
    this.#size -= 1;
    if (list.head === null && list.slot >= 0) this.#vacate(list.slot);
    return true;
  }

  /**
   * The time to call `advance` at next; null where it is empty. Exact unless the earliest entry of its list was cancelled: then it may be
   * too early, never too late, and advancing to it makes it exact.
   */
  nextAt(): number | null {
    if (this.#size === 0) return null;
    let next = Math.min(this.#firing.earliest, this.#overdue.earliest);
    const slot = this.#firstSlot();
    if (slot >= 0) next = Math.min(next, this.#slots[slot]!.earliest);
    else next = Math.min(next, this.#later.earliest);
    return next;
  }

  /** Fires everything due by `now`. Answers how many fired. */
  advance(now: number, fire: (value: Value, at: number) => void): number {
    if (this.#advancing) throw new Error("TimingWheel.advance was called by a callback that it is firing");
    const target = wholeMs(Math.floor(now));
    this.#advancing = true;
    try {
      if (target < this.#current) this.#goBack(target);
      return this.#run(target, fire);
    } finally {
      this.#advancing = false;
    }
  }

  #run(target: number, fire: (value: Value, at: number) => void): number {
    let fired = 0;
    this.#collectOverdue();
    for (;;) {
      for (let entry = this.#firing.head; entry !== null; entry = this.#firing.head) {
        this.#firing.unlink(entry);
        this.#size -= 1;
        fired += 1;
        fire(entry.value, entry.at);
      }
      if (!this.#step(target)) return fired;
    }
  }

  /** Moves `current` to the next event by `target` and deals its list out; false, with `current` at `target`, where there is none. */
  #step(target: number): boolean {
    const slot = this.#firstSlot();
    if (slot < 0) return this.#enterEra(target);
    const level = slot >> 6;
    const start = blockOf(this.#current, level + 1) * SPAN[level + 1]! + (slot & 63) * SPAN[level]!;
    if (start > target) {
      this.#current = target;
      return false;
    }
    this.#current = start;
    const list = this.#slots[slot]!;
    this.#vacate(slot);
    this.#deal(list);
    return true;
  }

  /** With the present era empty: begins the next one that has entries, if it begins by `target`. */
  #enterEra(target: number): boolean {
    const start = blockOf(this.#later.earliest, LEVELS) * SPAN[LEVELS]!;
    const due = this.#later.head !== null && start <= target;
    this.#current = due ? start : target;
    if (due) this.#deal(this.#later);
    return due;
  }

  /** Places a list's entries by the present time; those of this very ms are ready to fire. */
  #deal(list: WheelList<Value>): void {
    for (const entry of list.drain()) {
      if (entry.at === this.#current) this.#firing.append(entry);
      else this.#place(entry);
    }
  }

  #place(entry: WheelEntry<Value>): void {
    if (entry.at <= this.#current) {
      this.#overdue.append(entry);
      return;
    }
    let level = 0;
    while (level < LEVELS && blockOf(entry.at, level + 1) !== blockOf(this.#current, level + 1)) level += 1;
    if (level === LEVELS) {
      this.#later.append(entry);
      return;
    }
    const digit = blockOf(entry.at, level) - blockOf(entry.at, level + 1) * SLOTS;
    const list = this.#slots[level * SLOTS + digit]!;
    if (list.head === null) this.#occupy(list, level * SLOTS + digit);
    list.append(entry);
  }

  /** What came too late fires first, in order of due time; a callback's own late inserts are left to the next call. */
  #collectOverdue(): void {
    if (this.#overdue.head === null) return;
    const late = [...this.#firing.drain(), ...this.#overdue.drain()];
    late.sort((one, other) => one.at - other.at);
    for (const entry of late) this.#firing.append(entry);
  }

  #goBack(target: number): void {
    const entries: WheelEntry<Value>[] = [...this.#firing.drain(), ...this.#overdue.drain()];
    for (let slot = this.#firstSlot(); slot >= 0; slot = this.#firstSlot()) {
      this.#vacate(slot);
      for (const entry of this.#slots[slot]!.drain()) entries.push(entry);
    }
    for (const entry of this.#later.drain()) entries.push(entry);
    this.#current = target;
    for (const entry of entries) this.#place(entry);
  }

  /** The lowest occupied slot of the lowest occupied level, as an index into all slots; -1 where none is. */
  #firstSlot(): number {
    for (let level = 0; level < LEVELS; level += 1) {
      const low = this.#low[level]!;
      if (low !== 0) return level * SLOTS + lowestBit(low);
      const high = this.#high[level]!;
      if (high !== 0) return level * SLOTS + 32 + lowestBit(high);
    }
    return -1;
  }

  #occupy(list: WheelList<Value>, slot: number): void {
    list.slot = slot;
    const map = (slot & 32) === 0 ? this.#low : this.#high;
    map[slot >> 6]! |= 1 << (slot & 31);
  }

  #vacate(slot: number): void {
    const map = (slot & 32) === 0 ? this.#low : this.#high;
    map[slot >> 6]! &= ~(1 << (slot & 31));
  }
}

function blockOf(at: number, level: number): number {
  return Math.floor(at * PER_SPAN[level]!);
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function wholeMs(at: number): number {
  if (!Number.isSafeInteger(at)) throw new RangeError(`a time on the wheel is a finite number of ms; got ${at}`);
  return at;
}
