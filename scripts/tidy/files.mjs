// The text files of the repository, read once, with the two reduced forms that the checks look at.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { reduce } from "./source-text.mjs";

/**
 * @typedef {object} SourceFile
 * @property {string} path from the root, with forward slashes
 * @property {string} text as it stands
 * @property {boolean} isCode TypeScript or JavaScript
 * @property {string} code comments blanked out, strings kept; equal to `text` where the file is no code
 * @property {string} bare comments and the contents of strings blanked out
 */

/**
 * @typedef {object} Finding
 * @property {"error" | "warning"} level
 * @property {string} path
 * @property {number} line counted from 1
 * @property {string} rule
 * @property {string} text what is wrong and what to do
 */

const skippedFolders = new Set(["node_modules", "dist", "coverage", "data", "tmp", ".git"]);
const codeEndings = new Set([".ts", ".mts", ".mjs", ".js"]);
const textEndings = new Set([
  ...codeEndings,
  ".json",
  ".md",
  ".sql",
  ".sh",
  ".yml",
  ".yaml",
  ".html",
  ".css",
  ".svg",
  "",
]);

/**
 * @param {string} root
 * @returns {SourceFile[]} sorted by path, so that findings come in the same order everywhere
 */
export function readFiles(root) {
  /** @type {SourceFile[]} */
  const files = [];
  walk(root, "", files);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {SourceFile[]} files
 */
function walk(root, folder, files) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) walk(root, path, files);
    } else if (entry.isFile() && textEndings.has(extname(entry.name))) {
      const text = readFileSync(join(root, path), "utf8");
      const isCode = codeEndings.has(extname(entry.name));
      files.push({ path, text, isCode, ...(isCode ? reduce(text) : { code: text, bare: text }) });
    }
  }
}

/**
 * @param {string} text
 * @param {number} index
 */
export function lineAt(text, index) {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/**
 * One finding for each match of `pattern` in `text`.
 * @param {SourceFile} file
 * @param {string} text the form of the file to search
 * @param {RegExp} pattern with the flag g
 * @param {string} rule
 * @param {(match: string) => string} word
 * @returns {Finding[]}
 */
export function findAll(file, text, pattern, rule, word) {
  return [...text.matchAll(pattern)].map((match) => ({
    level: "error",
    path: file.path,
    line: lineAt(text, match.index),
    rule,
    text: word(match[0].trim()),
  }));
}
