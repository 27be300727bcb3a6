import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";

export const ROUNDS = 5;

/** @param {readonly number[]} samples @param {number} share */
export function quantile(samples, share) {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** @param {readonly number[]} samples */
export const median = (samples) => quantile(samples, 0.5);

/**
 * Runs the rounds, each in an empty folder, and prints the median of every figure.
 * @param {(folder: string) => Promise<Record<string, number>>} round
 */
export async function measure(round) {
  /** @type {Record<string, number>[]} */
  const samples = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const folder = mkdtempSync(join(tmpdir(), "giveway-bench-"));
    try {
      samples.push(await round(folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const names = Object.keys(samples[0] ?? {});
  console.table(
    names.map((figure) => {
      const values = samples.map((sample) => sample[figure] ?? Number.NaN);
      const shown = (/** @type {number} */ value) => Number(value.toPrecision(4));
      return {
        figure,
        median: shown(median(values)),
        min: shown(Math.min(...values)),
        max: shown(Math.max(...values)),
      };
    }),
  );
}

/** A bare database as durable as the ledger. @param {string} file */
export function durable(file) {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  return database;
}

/** Milliseconds of one-row commits, one by one: the raw limit of a lone submit. @param {string} file @param {number} count */
export function oneRowCommits(file, count) {
  const database = durable(file);
  database.exec("create table row (id integer primary key, body text)");
  const insert = database.prepare("insert into row (body) values (?)");
  /** @type {number[]} */
  const times = [];
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    insert.run('{"orderId":10086}');
    times.push(performance.now() - begun);
  }
  database.close();
  return times;
}
