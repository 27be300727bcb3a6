// All checks of the repository's shape over one folder. Kept apart from the command, so that tests can run it over a
// folder of their own.
import { checkDependencies } from "./dependencies.mjs";
import { readFiles } from "./files.mjs";
import { checkImports } from "./imports.mjs";
import { checkLength } from "./length.mjs";
import { checkManifests } from "./manifests.mjs";
import { checkPurity } from "./purity.mjs";
import { checkWords } from "./words.mjs";

/**
 * @param {string} root the folder to check
 * @returns {{ files: number, findings: import("./files.mjs").Finding[] }}
 */
export function tidy(root) {
  const files = readFiles(root);
  const findings = [
    ...checkImports(files),
    ...checkPurity(files),
    ...checkManifests(files),
    ...checkDependencies(files),
    ...checkLength(files),
    ...checkWords(files),
  ];
  return { files: files.length, findings };
}
