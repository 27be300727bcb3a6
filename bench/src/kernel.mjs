// The ready queue by itself: what one take and one push cost with few and with many tasks waiting. The figure to keep is the ratio, since
// both sizes are measured in turn in one process: with a million waiting at most three times the cost with ten thousand.
import { fileURLToPath } from "node:url";
import { DEFAULT_STEPS, laneOrders, ReadyQueue, seededRandom } from "@giveway/kernel";
import { reportSamples } from "./rounds.mjs";

const FEW = 10_000;
const MANY = 1_000_000;
const STREAMS = [1, 50];
const ROUNDS = 5;
const PAIRS = 200_000;

/** By round: ns of one take and one push, per number of streams and of waiting tasks, and the ratio of the sizes. */
export function measureKernel() {
  /** @type {Record<string, number>[]} */
  const samples = Array.from({ length: ROUNDS }, () => ({}));
  for (const streams of STREAMS) {
    const few = new Field(streams, FEW);
    const many = new Field(streams, MANY);
    // Sizes take turns, so that what disturbs the machine for a while disturbs both of them.
    for (const sample of samples) {
      const [ofFew, ofMany] = [few.measure(), many.measure()];
      sample[`${streams} streams, ${FEW} waiting: take + push, ns`] = ofFew;
      sample[`${streams} streams, ${MANY} waiting: take + push, ns`] = ofMany;
      sample[ratioOf(streams)] = ofMany / ofFew;
    }
  }
  return samples;
}

/** @param {number} streams */
function ratioOf(streams) {
  return `${streams} streams: ${MANY} / ${FEW} waiting`;
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  reportSamples(measureKernel(), Object.fromEntries(STREAMS.map((streams) => [ratioOf(streams), { atMost: 3 }])));
}
