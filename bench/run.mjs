// `npm run bench`: every measurement in a process of its own, one after the other. `npm run bench -- drain` runs one of them.
// Figures are medians of at least five rounds, beside a peer or a raw limit measured in the same run: on a shared machine only ratios mean
// something. The rows go to `results/latest.json` too; those of measurements that were not asked for stay there.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { isMet } from "./src/rounds.mjs";

const MEASUREMENTS = ["kernel", "sqlite-store", "drain", "submit", "growth", "pickup", "starvation"];
const RESULTS = new URL("results/latest.json", import.meta.url);

/** @typedef {{ at: string, node: string, cpus: number, rows: readonly import("./src/rounds.mjs").Row[] }} Result */

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !MEASUREMENTS.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: there is no ${unknown.join(", ")}; there are ${MEASUREMENTS.join(", ")}\n`);
  process.exit(2);
}

const results = earlierResults();
let failed = false;
let missed = 0;
for (const name of asked.length > 0 ? asked : MEASUREMENTS) {
  process.stdout.write(`\n== ${name}\n`);
  const rows = await run(name);
  if (rows === null) {
    failed = true;
    continue;
  }
  missed += rows.filter(({ median, target }) => target !== null && !isMet(median, target)).length;
  results[name] = { at: new Date().toISOString(), node: process.version, cpus: cpus().length, rows };
  mkdirSync(new URL(".", RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}
process.stdout.write(missed === 0 ? "\nNo target is missed.\n" : `\n${missed} targets are missed.\n`);
// A missed target is a finding, not a fault: machines differ. Only a measurement that breaks off fails.
process.exitCode = failed ? 1 : 0;

/** Null: it broke off. @param {string} name @returns {Promise<Result["rows"] | null>} */
async function run(name) {
  const child = fork(fileURLToPath(new URL(`src/${name}.mjs`, import.meta.url)));
  /** @type {Result["rows"] | null} */
  let rows = null;
  child.on("message", (message) => {
    rows = /** @type {Result["rows"]} */ (message);
  });
  const [code] = await once(child, "close");
  return code === 0 ? rows : null;
}

/** @returns {Record<string, Result>} */
function earlierResults() {
  try {
    return JSON.parse(readFileSync(RESULTS, "utf8"));
  } catch {
    return {};
  }
}
