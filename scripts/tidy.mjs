// `npm run tidy`: import arrows, purity, package files, run-time dependencies, file lengths, forbidden words.
// `--accept-dependencies` rewrites the list of run-time dependencies to what the lock file says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, say } from "./lib/workspace.mjs";
import { closure, listPath } from "./tidy/dependencies.mjs";
import { tidy } from "./tidy/tidy.mjs";

if (process.argv.includes("--accept-dependencies")) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const list = { giveway: closure(lock, "packages/giveway") };
  writeFileSync(join(root, listPath), `${JSON.stringify(list, null, 2)}\n`);
}

const { files, findings } = tidy(root);
for (const { level, path, line, rule, text } of findings) say(`${path}:${line}  ${level} ${rule}: ${text}`);
const errors = findings.filter(({ level }) => level === "error").length;
const warnings = findings.length - errors;
say(`tidy: ${files} files, ${errors} errors, ${warnings} warnings.`);
if (errors > 0) process.exitCode = 1;
