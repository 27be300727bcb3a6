import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";

export const ROUNDS = 5;

/**
 * What a median is held to; figures without one are there to be read.
 * @typedef {{ atMost: number } | { atLeast: number }} Target
 * @typedef {{ figure: string, median: number, min: number, max: number, target: Target | null }} Row
 * @typedef {Readonly<Record<string, Target>>} Targets
 */

/** @param {readonly number[]} samples @param {number} share */
export function quantile(samples, share) {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** @param {readonly number[]} samples */
export const median = (samples) => quantile(samples, 0.5);

/**
 * Runs the rounds, each in an empty folder, and reports the median of every figure.
 * @param {(folder: string) => Promise<Record<string, number>>} round @param {Targets} targets
 */
export async function measure(round, targets = {}) {
  /** @type {Record<string, number>[]} */
  const samples = [];
  for (let n = 0; n < ROUNDS; n += 1) samples.push(await inFolder(round));
  reportSamples(samples, targets);
}

/** Runs it in an empty folder that is gone afterwards. @template T @param {(folder: string) => Promise<T>} work @returns {Promise<T>} */
export async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "giveway-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {readonly Readonly<Record<string, number>>[]} samples @param {Targets} targets */
export function reportSamples(samples, targets = {}) {
  const figures = Object.keys(samples[0] ?? {});
  for (const name of Object.keys(targets)) if (!figures.includes(name)) throw new Error(`no figure is called ${name}`);
  report(
    figures.map((figure) => {
      const values = samples.map((sample) => sample[figure] ?? Number.NaN);
      return {
        figure,
        median: median(values),
        min: Math.min(...values),
        max: Math.max(...values),
        target: targets[figure] ?? null,
      };
    }),
  );
}

/** Prints the rows and hands them to the runner, if there is one. @param {readonly Row[]} rows */
export function report(rows) {
  const shown = (/** @type {number} */ value) => Number(value.toPrecision(4));
  console.table(
    rows.map(({ figure, median: middle, min, max, target }) => ({
      figure,
      median: shown(middle),
      min: shown(min),
      max: shown(max),
      target: target === null ? "" : wording(target),
      met: target === null ? "" : isMet(middle, target) ? "yes" : "NO",
    })),
  );
  process.send?.(rows);
}

/** @param {Target} target */
function wording(target) {
  return "atMost" in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}

/** @param {number} value @param {Target} target */
export function isMet(value, target) {
  return "atMost" in target ? value <= target.atMost : value >= target.atLeast;
}

/** A bare database as durable as the ledger. @param {string} file */
export function durable(file) {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  return database;
}

/**
 * One-row commits on the same disk: the raw limit of a lone submit. A disk that others use changes its pace from one second to the next, so what is
 * compared with it takes turns with it.
 */
export class OneRowCommits {
  #database;
  #insert;

  /** @param {string} file */
  constructor(file) {
    this.#database = durable(file);
    this.#database.exec("create table row (id integer primary key, body text)");
    this.#insert = this.#database.prepare("insert into row (body) values (?)");
  }

  /** Commits one row: ms. */
  one() {
    const begun = performance.now();
    this.#insert.run('{"orderId":10086}');
    return performance.now() - begun;
  }

  /** @param {number} count @returns {number} rows a second */
  rate(count) {
    const begun = performance.now();
    for (let n = 0; n < count; n += 1) this.#insert.run('{"orderId":10086}');
    return (count / (performance.now() - begun)) * 1000;
  }

  close() {
    this.#database.close();
  }
}
