// Clock and randomness reach the kernel and the store contract as arguments only. The compiler already hides Node and
// DOM types from both; the language itself still has Date and Math, and those are watched here.
import { findAll } from "./files.mjs";

const impure = /(?<![.\w$])(?:Date\.now|new Date\(\s*\)|new Date(?![\w$(])|Date\(\s*\)|Math\.random)/g;
// A method's signature may bear such a name (the Clock port has one): what follows its closing bracket is then a colon.
const timers =
  /(?<![.\w$])(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch)(?=\s*\()(?!\((?:[^()]|\([^()]*\))*\)\s*:)/g;
const ambient = /(?<![.\w$])(?:globalThis|performance|process|console|crypto)(?=\s*[.[])/g;
const asynchronous = /(?<![.\w$])(?:async(?=\s+function|\s*\()|await(?=\s)|Promise(?=\s*[.<]))/g;

/**
 * @param {import("./files.mjs").SourceFile[]} files
 * @returns {import("./files.mjs").Finding[]}
 */
export function checkPurity(files) {
  return files.flatMap((file) => {
    const part = /^packages\/(kernel|store)\/src\/(?!conformance\/)/.exec(file.path)?.[1];
    if (part === undefined || !file.isCode) return [];
    const findings = [impure, timers, ambient].flatMap((pattern) =>
      findAll(file, file.bare, pattern, "purity", (match) => `${match} in the ${part}: clock and chance are arguments`),
    );
    if (part === "store") return findings;
    const late = findAll(file, file.bare, asynchronous, "purity", (match) => `${match}: the kernel is synchronous`);
    return [...findings, ...late];
  });
}
