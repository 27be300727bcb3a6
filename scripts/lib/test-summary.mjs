// A Vitest reporter that writes what the run amounted to, for scripts/test.mjs to word: counts, the skipped tests with
// their reasons, and failures that belong to no single test (a file that doesn't load, a rejection nobody handled).
import { writeFileSync } from "node:fs";

/**
 * @typedef {object} Summary
 * @property {number} passed
 * @property {number} failed
 * @property {number} other failures outside any test
 * @property {{ name: string, reason: string }[]} skipped
 */

export default class TestSummary {
  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    /** @type {Summary} */
    const summary = { passed: 0, failed: 0, other: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      const before = summary.failed;
      for (const test of module.children.allTests()) count(summary, module, test);
      if (module.state() === "failed" && summary.failed === before) summary.other += 1;
    }
    const path = process.env["GIVEWAY_TEST_SUMMARY"];
    if (path !== undefined) writeFileSync(path, JSON.stringify(summary));
  }
}

/**
 * @param {Summary} summary
 * @param {import("vitest/node").TestModule} module
 * @param {import("vitest/node").TestCase} test
 */
function count(summary, module, test) {
  const result = test.result();
  if (result.state === "passed") summary.passed += 1;
  else if (result.state === "failed") summary.failed += 1;
  else {
    const reason = result.state === "skipped" ? (result.note ?? "no reason given") : "it never ran";
    summary.skipped.push({ name: `${module.relativeModuleId} > ${test.fullName}`, reason });
  }
}
