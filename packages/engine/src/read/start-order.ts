import {
  type Admission,
  admit,
  afterStart,
  type Lane,
  occupy,
  type Rotation,
  type SlotSettings,
  type SlotUsage,
  vacate,
  type Waiting,
} from "@giveway/kernel";

/** A waiting task, as far as the order of starts needs it. */
export interface Candidate {
  readonly type: string;
}

/** A slot held now, and by which type. */
export interface HeldSlot {
  readonly type: string;
  readonly admission: Admission;
}

export interface OrderFacts<Task extends Candidate> {
  readonly settings: SlotSettings;
  readonly rotation: Rotation;
  /** Slots held now, the one that started first comes first. */
  readonly held: readonly HeldSlot[];
  /** Each lane's waiting tasks in exact order. */
  readonly lanes: { readonly express: readonly Task[]; readonly standard: readonly Task[] };
  /** How many of a type may run at once, and how many permits are held by what holds no slot (zombies). */
  readonly permits: (type: string) => { readonly bound: number; readonly zombies: number };
  readonly limit: number;
}

/**
 * The order in which waiting tasks start, found by playing the kernel's own rule for slots (A14): within a lane the order is the ledger's, between the
 * lanes `admit` decides, and a type at its bound is passed over until one of its tasks ends.
 *
 * What it has to assume of the future: nothing else is submitted, changed or falls due; slots come free in the order in which they were taken
 * (all run equally long); weights age no further. So the first free slots are exact, and the rest is what the rules make of the present.
 */
export function startOrder<Task extends Candidate>(facts: OrderFacts<Task>): readonly Task[] {
  const play = new Play(facts);
  const order: Task[] = [];
  while (order.length < facts.limit) {
    const next = play.start();
    if (next !== null) order.push(next);
    else if (!play.end()) break;
  }
  return order;
}

class Play<Task extends Candidate> {
  readonly #facts: OrderFacts<Task>;
  readonly #left: { readonly express: Task[]; readonly standard: Task[] };
  readonly #held: HeldSlot[];
  readonly #running = new Map<string, number>();
  readonly #room = new Map<string, number>();
  #usage: SlotUsage = { express: 0, standard: 0, burst: 0 };
  #rotation: Rotation;

  constructor(facts: OrderFacts<Task>) {
    this.#facts = facts;
    this.#left = { express: [...facts.lanes.express], standard: [...facts.lanes.standard] };
    this.#held = [...facts.held];
    this.#rotation = facts.rotation;
    for (const slot of this.#held) this.#take(slot);
  }

  /** The next start on a free slot; null where none is possible before something ends. */
  start(): Task | null {
    const heads = { express: this.#head("express"), standard: this.#head("standard") };
    const waiting: Waiting = { express: heads.express !== -1, standard: heads.standard !== -1 };
    const { settings } = this.#facts;
    const admission = admit(settings, this.#usage, waiting, this.#rotation);
    if (admission === null) return null;
    this.#rotation = afterStart(this.#rotation, admission, waiting, settings);
    const [task] = this.#left[admission.lane].splice(heads[admission.lane], 1);
    if (task === undefined) return null;
    const slot = { type: task.type, admission };
    this.#held.push(slot);
    this.#take(slot);
    return task;
  }

  /** The slot held longest comes free; false where none is held. */
  end(): boolean {
    const slot = this.#held.shift();
    if (slot === undefined) return false;
    this.#usage = vacate(this.#usage, slot.admission);
    this.#running.set(slot.type, (this.#running.get(slot.type) ?? 1) - 1);
    return true;
  }

  #take({ type, admission }: HeldSlot): void {
    this.#usage = occupy(this.#usage, admission);
    this.#running.set(type, (this.#running.get(type) ?? 0) + 1);
  }

  /** Place of the lane's first task whose type has room; -1 for none. */
  #head(lane: Lane): number {
    return this.#left[lane].findIndex(({ type }) => (this.#running.get(type) ?? 0) < this.#roomOf(type));
  }

  /** Slots that a type may hold at once. */
  #roomOf(type: string): number {
    let room = this.#room.get(type);
    if (room === undefined) {
      const { bound, zombies } = this.#facts.permits(type);
      room = bound - zombies;
      this.#room.set(type, room);
    }
    return room;
  }
}
