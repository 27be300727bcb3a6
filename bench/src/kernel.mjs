// The ready queue by itself: what one take and one push cost with few and with many tasks waiting. The figure to keep is the ratio, since
// both sizes are measured in turn in one process: with a million waiting at most three times the cost with ten thousand.
import { fileURLToPath } from "node:url";
import { DEFAULT_STEPS, laneOrders, ReadyQueue, seededRandom } from "@giveway/kernel";

const SIZES = [10_000, 1_000_000];
const STREAMS = [1, 50];
const ROUNDS = 5;
const PAIRS = 200_000;

/** @typedef {{ streams: number, waiting: number, nsPerPair: number, ratio: number }} KernelRow */

/**
 * Median cost of one take and one push, in ns, per number of streams and of waiting tasks; `ratio` is that to the smallest size.
 * @returns {KernelRow[]}
 */
export function measureKernel() {
  return STREAMS.flatMap((streams) => {
    const fields = SIZES.map((waiting) => new Field(streams, waiting));
    // Sizes take turns, so that what disturbs the machine for a while disturbs all of them.
    const samples = fields.map(() => /** @type {number[]} */ ([]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, field] of fields.entries()) samples[index]?.push(field.measure());
    }
    const medians = samples.map(median);
    return fields.map((_, index) => ({
      streams,
      waiting: SIZES[index] ?? 0,
      nsPerPair: medians[index] ?? 0,
      ratio: (medians[index] ?? 0) / (medians[0] ?? 1),
    }));
  });
}

/** A queue with a steady backlog of mixed weights. */
class Field {
  #queue = new ReadyQueue(laneOrders("express", DEFAULT_STEPS));
  #random = seededRandom(1);
  #seq = 0;
  #now = 0;
  #names;

  /**
   * @param {number} streams
   * @param {number} waiting
   */
  constructor(streams, waiting) {
    this.#names = Array.from({ length: streams }, (_, index) => `type-${index}`);
    for (let count = 0; count < waiting; count += 1) this.#push();
  }

  /** @returns {number} ns per take and push */
  measure() {
    const begin = process.hrtime.bigint();
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const lane = pair % 3 === 0 ? "standard" : "express";
      if (this.#queue.take(lane, this.#now) === null) this.#queue.take("standard", this.#now);
      this.#push();
    }
    return Number(process.hrtime.bigint() - begin) / PAIRS;
  }

  #push() {
    this.#seq += 1;
    // Ten tasks become ready per ms.
    if (this.#seq % 10 === 0) this.#now += 1;
    const weight = /** @type {import("@giveway/kernel").Weight} */ (1 + Math.floor(this.#random() * 10));
    const stream = this.#names[Math.floor(this.#random() * this.#names.length)] ?? "type-0";
    this.#queue.push(this.#seq, { stream, weight, seq: this.#seq, since: this.#now });
  }
}

/** @param {readonly number[]} samples */
function median(samples) {
  return samples.toSorted((one, other) => one - other)[samples.length >> 1] ?? Number.NaN;
}

/** @param {readonly KernelRow[]} rows */
function print(rows) {
  console.table(
    rows.map(({ streams, waiting, nsPerPair, ratio }) => ({
      streams,
      waiting,
      "ns per take + push": Math.round(nsPerPair),
      ratio: ratio.toFixed(2),
      target: waiting === SIZES[0] ? "" : "≤ 3",
    })),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(measureKernel());
