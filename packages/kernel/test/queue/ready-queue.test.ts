import {
  type AgingSteps,
  type Lane,
  laneOf,
  laneOrders,
  POLICIES,
  type Random,
  type ReadyEntry,
  ReadyQueue,
  seededRandom,
  type Weight,
} from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NaiveQueue, type NaiveTask } from "../models/naive-order.ts";

const LANES: readonly Lane[] = ["express", "standard"];
const STEPS: readonly AgingSteps[] = [
  { standard: 5000, express: 1000 },
  { standard: 700, express: 130 },
  { standard: 1, express: 1 },
];

interface Shape {
  readonly streams: number;
  /** Whether the clock is set back now and then, so that `since` doesn't grow with `seq`. */
  readonly clockJumps: boolean;
}

/** A ready queue and its naive model, driven by the same random operations. */
class World {
  readonly #random: Random;
  readonly #shape: Shape;
  readonly #settings = { policy: POLICIES[0] as (typeof POLICIES)[number], steps: STEPS[0]! };
  readonly #naive = new NaiveQueue(this.#settings);
  readonly #queue = new ReadyQueue<number>(laneOrders("express", STEPS[0]!));
  readonly #entries = new Map<number, ReadyEntry<number>>();
  readonly #taken: NaiveTask[] = [];
  #now = 1_000_000;
  #seq = 0;
  #ids = 0;
  operations = 0;
  takes = 0;

  constructor(random: Random, shape: Shape) {
    this.#random = random;
    this.#shape = shape;
  }

  run(operations: number): void {
    for (let done = 0; done < operations; done += 1) {
      this.#tick();
      this.#operate();
      this.operations += 1;
    }
    this.#drain();
  }

  #tick(): void {
    if (this.#shape.clockJumps && this.#random() < 0.03) this.#now -= this.#below(12_000);
    else if (this.#random() < 0.6) this.#now += this.#below(400);
  }

  #operate(): void {
    const crowded = this.#naive.tasks.size > 160;
    const dice = this.#random();
    if (dice < (crowded ? 0.16 : 0.32)) this.#submit();
    else if (dice < 0.6) this.#take();
    else if (dice < 0.66) this.#requeue();
    else if (dice < 0.7) this.#retry();
    else if (dice < 0.8) this.#reweight();
    else if (dice < 0.84) this.#remove();
    else if (dice < 0.92) this.#openOrClose();
    else if (dice < 0.98) this.#bound();
    else this.#configure();
  }

  #submit(): void {
    this.#push({ id: this.#ids++, stream: this.#stream(), weight: this.#weight(), ...this.#arrival() });
  }

  #take(): void {
    const lane = this.#pick(LANES);
    const expected = this.#expected(lane);
    expect(this.#queue.startable(lane)).toBe(expected !== null);
    expect(this.#queue.peek(lane, this.#now)?.item ?? null).toBe(expected?.id ?? null);
    const entry = this.#queue.take(lane, this.#now);
    expect(entry?.item ?? null).toBe(expected?.id ?? null);
    if (entry === null || expected === null) return;
    this.takes += 1;
    this.#naive.take(expected);
    this.#taken.push(expected);
  }

  #expected(lane: Lane): NaiveTask | null {
    const byHeads = this.#naive.firstByHeads(lane, this.#now);
    if (this.#shape.clockJumps) return byHeads;
    const sorted = this.#naive.sorted(lane, this.#now);
    expect(byHeads).toBe(sorted[0] ?? null);
    if (this.operations % 50 === 0) {
      const upcoming = this.#queue.upcoming(lane, this.#now, 20).map((entry) => entry.item);
      expect(upcoming).toEqual(sorted.slice(0, 20).map((task) => task.id));
      expect(this.#queue.sizeOf(lane)).toBe(this.#naive.sizeOf(lane));
    }
    return sorted[0] ?? null;
  }

  /** A task that gave way comes back with the place it had. */
  #requeue(): void {
    const task = this.#takenOne();
    if (task === null) return;
    this.#naive.tasks.set(task.id, task);
    this.#giveRoom(task.stream);
    expect(this.#queue.requeue(this.#entries.get(task.id)!)).toBe(true);
    expect(this.#queue.requeue(this.#entries.get(task.id)!)).toBe(false);
  }

  /** A retry becomes ready anew. */
  #retry(): void {
    const task = this.#takenOne();
    if (task === null) return;
    this.#giveRoom(task.stream);
    this.#push({ ...task, ...this.#arrival() });
  }

  #reweight(): void {
    const task = this.#waitingOne();
    if (task === null) return;
    const weight = this.#weight();
    const entersExpress = laneOf(weight) === "express" && laneOf(task.weight as Weight) === "standard";
    const arrival = entersExpress ? this.#arrival() : undefined;
    expect(this.#queue.reweight(this.#entries.get(task.id)!, weight, arrival)).toBe(true);
    Object.assign(task, { weight }, arrival);
  }

  #remove(): void {
    const task = this.#waitingOne();
    if (task === null) return;
    const entry = this.#entries.get(task.id)!;
    expect(this.#queue.remove(entry)).toBe(true);
    expect(this.#queue.remove(entry)).toBe(false);
    expect(this.#queue.reweight(entry, 9)).toBe(false);
    this.#naive.tasks.delete(task.id);
  }

  #openOrClose(): void {
    const stream = this.#stream();
    if (this.#random() < 0.55) {
      this.#naive.closed.delete(stream);
      this.#queue.open(stream);
    } else {
      this.#naive.closed.add(stream);
      this.#queue.close(stream);
    }
  }

  #bound(): void {
    const stream = this.#stream();
    const room = this.#random() < 0.3 ? Number.POSITIVE_INFINITY : this.#below(4);
    this.#naive.room.set(stream, room);
    this.#queue.setRoom(stream, room);
  }

  #giveRoom(stream: string): void {
    const room = this.#naive.room.get(stream);
    if (room !== undefined) this.#naive.room.set(stream, room + 1);
    this.#queue.giveRoom(stream);
  }

  #configure(): void {
    this.#settings.policy = this.#pick(POLICIES);
    this.#settings.steps = this.#pick(STEPS);
    this.#queue.configure(laneOrders(this.#settings.policy, this.#settings.steps));
  }

  /** With every stream open, what is left must come out in order to the last task. */
  #drain(): void {
    for (let stream = 0; stream < this.#shape.streams; stream += 1) {
      this.#naive.closed.delete(`s${stream}`);
      this.#naive.room.delete(`s${stream}`);
      this.#queue.open(`s${stream}`);
      this.#queue.setRoom(`s${stream}`, Number.POSITIVE_INFINITY);
    }
    expect([...this.#queue].length).toBe(this.#naive.tasks.size);
    for (const lane of LANES) {
      for (let left = this.#naive.sizeOf(lane); left > 0; left -= 1) {
        this.#now += this.#below(300);
        const expected = this.#naive.firstByHeads(lane, this.#now)!;
        expect(this.#queue.take(lane, this.#now)?.item).toBe(expected.id);
        this.#naive.take(expected);
      }
    }
    expect(this.#queue.size).toBe(0);
  }

  #push(task: NaiveTask): void {
    this.#naive.tasks.set(task.id, task);
    this.#entries.set(task.id, this.#queue.push(task.id, { ...task, weight: task.weight as Weight }));
  }

  #arrival(): { seq: number; since: number } {
    return { seq: ++this.#seq, since: this.#now };
  }

  #takenOne(): NaiveTask | null {
    if (this.#taken.length === 0) return null;
    return this.#taken.splice(this.#below(this.#taken.length), 1)[0]!;
  }

  #waitingOne(): NaiveTask | null {
    const all = [...this.#naive.tasks.values()];
    return all.length === 0 ? null : this.#pick(all);
  }

  #stream(): string {
    return `s${this.#below(this.#shape.streams)}`;
  }

  #weight(): Weight {
    return (1 + this.#below(10)) as Weight;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #pick<Value>(from: readonly Value[]): Value {
    return from[this.#below(from.length)]!;
  }
}

describe("the ready queue against a full sort", () => {
  const shapes: readonly Shape[] = [
    { streams: 1, clockJumps: false },
    { streams: 6, clockJumps: false },
    { streams: 60, clockJumps: false },
    { streams: 6, clockJumps: true },
    { streams: 60, clockJumps: true },
  ];

  test("200 000 random operations and more start in exactly the same order", () => {
    let operations = 0;
    let takes = 0;
    for (const shape of shapes) {
      fc.assert(
        fc.property(fc.integer(), (seed) => {
          const world = new World(seededRandom(seed), shape);
          world.run(4_200);
          operations += world.operations;
          takes += world.takes;
        }),
        { numRuns: 10, endOnFailure: true },
      );
    }
    expect(operations).toBeGreaterThanOrEqual(200_000);
    expect(takes).toBeGreaterThanOrEqual(25_000);
  }, 240_000);

  test("short runs, so that a failure shrinks to its core", () => {
    const numbers = fc.array(fc.double({ min: 0, max: 0.9999, noNaN: true }), { minLength: 1, maxLength: 250 });
    fc.assert(
      fc.property(numbers, fc.constantFrom(...shapes), (chance, shape) => {
        let next = 0;
        const random = (): number => chance[next++ % chance.length]!;
        new World(random, shape).run(60);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the ready queue", () => {
  const at = (stream: string, weight: Weight, seq: number, since = 0) => ({ stream, weight, seq, since });
  const express = (): ReadyQueue<string> => new ReadyQueue<string>(laneOrders("express", STEPS[0]!));

  test("a closed stream never blocks what stands behind it", () => {
    const queue = express();
    queue.push("closed", at("paused", 6, 1));
    queue.push("open", at("other", 1, 2));
    queue.close("paused");
    expect(queue.take("standard", 0)?.item).toBe("open");
    expect(queue.take("standard", 0)).toBeNull();
    expect(queue.sizeOf("standard")).toBe(1);
    queue.open("paused");
    expect(queue.take("standard", 0)?.item).toBe("closed");
  });

  test("a stream may be closed before it has its first task", () => {
    const queue = express();
    queue.close("later");
    queue.push("task", at("later", 5, 1));
    expect(queue.startable("standard")).toBe(false);
    expect([...queue.heads("standard")]).toEqual([]);
  });

  test("room is used up by takes and closes the stream in all its weights", () => {
    const queue = express();
    for (const [index, weight] of ([5, 5, 3] as const).entries()) queue.push(`t${index}`, at("a", weight, index));
    queue.setRoom("a", 1);
    expect(queue.take("standard", 0)?.item).toBe("t0");
    expect(queue.take("standard", 0)).toBeNull();
    queue.giveRoom("a");
    expect(queue.take("standard", 0)?.item).toBe("t1");
    expect(queue.peek("standard", 0)).toBeNull();
  });

  test("a task that came back stands where it stood, before later ones of its weight", () => {
    const queue = express();
    queue.push("first", at("a", 5, 1));
    queue.push("second", at("a", 5, 2));
    queue.push("third", at("a", 5, 3));
    const first = queue.take("standard", 0)!;
    const second = queue.take("standard", 0)!;
    queue.requeue(second);
    queue.requeue(first);
    expect(queue.upcoming("standard", 0, 9).map((entry) => entry.item)).toEqual(["first", "second", "third"]);
  });

  test("with a clock set back, the older `since` still counts, and ties go to the lower `seq`", () => {
    const queue = express();
    queue.push("ahead", at("a", 1, 1, 100_000));
    queue.push("back", at("b", 1, 2, 10_000));
    queue.push("also back", at("c", 1, 3, 10_000));
    expect(queue.take("standard", 20_000)?.item).toBe("back");
    expect(queue.take("standard", 20_000)?.item).toBe("also back");
    expect(queue.take("standard", 20_000)?.item).toBe("ahead");
  });

  test("other steps act at the next take", () => {
    const queue = express();
    queue.push("low", at("a", 1, 1, 0));
    queue.push("high", at("a", 6, 2, 900));
    expect(queue.peek("standard", 1000)?.item).toBe("high");
    queue.configure(laneOrders("express", { standard: 100, express: 100 }));
    expect(queue.peek("standard", 1000)?.item).toBe("low");
  });

  test("a change of policy carries the waiting tasks over into its lanes", () => {
    const queue = express();
    queue.push("urgent", at("a", 9, 2));
    queue.push("usual", at("a", 4, 1));
    queue.configure(laneOrders("fifo", STEPS[0]!));
    expect(queue.sizeOf("express")).toBe(0);
    expect(queue.peek("express", 0)).toBeNull();
    expect(queue.take("standard", 0)?.item).toBe("usual");
    expect(queue.take("standard", 0)?.item).toBe("urgent");
  });
});
