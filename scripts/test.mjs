// `npm test`: brings the clone into shape, runs every test but the long ones, and says what was skipped and why.
// `npm run test:long` (--long) runs the long ones. Other arguments go to Vitest, such as a folder to narrow the run.
// With CI=true a skipped test counts as a failure: a machine that checks has to have what the tests need.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setup } from "./lib/setup.mjs";
import { root, say } from "./lib/workspace.mjs";

const long = process.argv.includes("--long");
const passedOn = process.argv.slice(2).filter((argument) => argument !== "--long");
const isCi = process.env["CI"] === "true" || process.env["CI"] === "1";

await setup();
const scratch = mkdtempSync(join(tmpdir(), "giveway-test-"));
const summaryPath = join(scratch, "summary.json");
const code = await runVitest();
const summary = readSummary();
rmSync(scratch, { recursive: true, force: true });
process.exitCode = report();

/** @returns {Promise<number>} Vitest's exit code */
function runVitest() {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporter = fileURLToPath(new URL("lib/test-summary.mjs", import.meta.url));
  const reporters = ["--reporter=default", `--reporter=${reporter}`];
  const child = spawn(process.execPath, [vitest, "run", ...reporters, ...passedOn], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, GIVEWAY_TEST_SUMMARY: summaryPath, GIVEWAY_TEST_LONG: long ? "1" : "0" },
  });
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  process.on("SIGINT", forward);
  process.on("SIGTERM", forward);
  return new Promise((resolve) => child.on("close", (status) => resolve(status ?? 1)));
}

/** @returns {import("./lib/test-summary.mjs").Summary} */
function readSummary() {
  if (existsSync(summaryPath)) return JSON.parse(readFileSync(summaryPath, "utf8"));
  return { passed: 0, failed: 0, other: 1, skipped: [] };
}

/** Prints the outcome, its last line alone and plain, and returns the exit code. */
function report() {
  const { passed, skipped } = summary;
  if (!long) say("Left out: the long tests (*.long.test.ts); `npm run test:long` runs them.");
  if (skipped.length === 0) say("Skipped: nothing.");
  for (const { name, reason } of skipped) say(`Skipped: ${name} (${reason})`);
  if (isCi && skipped.length > 0) say("A skipped test is a failure here, because CI=true.");
  if (summary.other > 0) say(`${summary.other} failures lie outside any single test; see above.`);

  // A run that ended badly without naming a test must not look like a good one in the closing line.
  const counted = summary.failed + summary.other + (isCi ? skipped.length : 0);
  const failed = counted === 0 && code !== 0 ? 1 : counted;
  const left = isCi || skipped.length === 0 ? "" : `, ${skipped.length} skipped`;
  say(`${passed} passed, ${failed} failed${left}`);
  return failed > 0 ? 1 : 0;
}
