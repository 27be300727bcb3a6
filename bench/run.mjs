// `npm run bench`: every measurement in a process of its own, one after the other. `npm run bench -- drain` runs one of them.
// Figures are medians of five rounds, beside a peer or a raw limit measured in the same run: on a shared machine only ratios mean something.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const MEASUREMENTS = ["kernel", "sqlite-store", "drain", "submit", "pickup", "starvation"];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !MEASUREMENTS.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: there is no ${unknown.join(", ")}; there are ${MEASUREMENTS.join(", ")}\n`);
  process.exit(2);
}
let failed = false;
for (const name of asked.length > 0 ? asked : MEASUREMENTS) {
  process.stdout.write(`\n== ${name}\n`);
  const script = fileURLToPath(new URL(`src/${name}.mjs`, import.meta.url));
  failed = spawnSync(process.execPath, [script], { stdio: "inherit" }).status !== 0 || failed;
}
process.exitCode = failed ? 1 : 0;
