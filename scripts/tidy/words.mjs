// Words that never belong in the repository: unfinished work, silenced checks, narrowed test runs, and places that
// exist on one machine only. This file is the one place that spells them, so it is the one place not searched.
import { findAll } from "./files.mjs";

const self = "scripts/tidy/words.mjs";

/** @type {{ rule: string, pattern: RegExp, where: (file: import("./files.mjs").SourceFile) => string | undefined, say: string }[]} */
const words = [
  { rule: "unfinished", pattern: /\b(?:TODO|FIXME|XXX)\b/g, where: (f) => f.text, say: "finish it or file an issue" },
  {
    rule: "silenced",
    pattern: /@ts-(?:ignore|nocheck)\b/g,
    where: (f) => (f.isCode ? f.text : undefined),
    say: "make the types right",
  },
  {
    rule: "silenced",
    pattern: /(?<![\w$])as\s+any(?![\w$])/g,
    where: (f) => (f.isCode ? f.bare : undefined),
    say: "use unknown and narrow it",
  },
  {
    rule: "narrowed",
    pattern: /(?<![\w$])(?:it|test|describe|suite|bench)(?:\.\w+)*\.(?:only|skip|todo)\s*[(<]/g,
    where: (f) => (f.isCode ? f.bare : undefined),
    say: "every test runs; where a machine cannot run one, use skipIf with a reason",
  },
  {
    rule: "place",
    pattern: /\bregistry\.[a-z0-9-]+\.(?:org|com|dev|io|net)\b/gi,
    where: (f) => f.text,
    say: "no registry's address belongs here",
  },
  {
    rule: "place",
    pattern: /(?:^|[\s"'`(=:>]|file:\/\/)\/(?:home|root|work|Users)\/[\w.-]/gm,
    where: (f) => f.text,
    say: "a path of one machine",
  },
  {
    rule: "place",
    pattern: /"resolved": "(?:https?|git|ssh|file)[:+]/g,
    where: (f) => (f.path === "package-lock.json" ? f.text : undefined),
    say: "the lock file names no download address (see .npmrc)",
  },
];

/**
 * @param {import("./files.mjs").SourceFile[]} files
 * @returns {import("./files.mjs").Finding[]}
 */
export function checkWords(files) {
  return files
    .filter((file) => file.path !== self)
    .flatMap((file) =>
      words.flatMap(({ rule, pattern, where, say }) => {
        const text = where(file);
        return text === undefined ? [] : findAll(file, text, pattern, rule, (match) => `"${match}": ${say}`);
      }),
    );
}
