// The import arrows, checked on every import of every source file.
import { builtinModules } from "node:module";
import { posix } from "node:path";
import { allowedBy, concreteStores, packageNameOf } from "./arrows.mjs";
import { lineAt } from "./files.mjs";

const importPattern = /\b(?:from|import|require)\s*\(?\s*(["'])([^"'\n]+)\1/g;

/**
 * @param {import("./files.mjs").SourceFile[]} files
 * @returns {import("./files.mjs").Finding[]}
 */
export function checkImports(files) {
  const declared = declaredDependencies(files);
  return files.flatMap((file) => {
    const home = /^packages\/([^/]+)\/(.+)$/.exec(file.path);
    if (!file.isCode || home === null) return [];
    const folder = home[1] ?? "";
    const inner = home[2] ?? "";
    return importsOf(file).flatMap(({ specifier, line }) => {
      const text = judge(file.path, folder, inner, specifier, declared);
      return text === undefined ? [] : [{ level: "error", path: file.path, line, rule: "import", text }];
    });
  });
}

/** @param {import("./files.mjs").SourceFile} file */
export function importsOf(file) {
  return [...file.code.matchAll(importPattern)].map((match) => ({
    specifier: match[2] ?? "",
    line: lineAt(file.code, match.index),
  }));
}

/**
 * @param {string} path
 * @param {string} folder
 * @param {string} inner the path inside the package
 * @param {string} specifier
 * @param {Map<string, Set<string>>} declared
 * @returns {string | undefined} what is wrong
 */
function judge(path, folder, inner, specifier, declared) {
  if (specifier.startsWith(".")) return judgeRelative(path, folder, inner, specifier);
  if (!inner.startsWith("src/")) return undefined;
  const name = packageOf(specifier);
  if (folder === "kernel") return `the kernel imports nothing from outside itself, not even "${specifier}"`;
  const isConformance = folder === "store" && inner.startsWith("src/conformance/");
  if (name.startsWith("node:") || builtinModules.includes(name)) {
    return folder === "store" && !isConformance ? `the store contract stays free of Node: "${specifier}"` : undefined;
  }
  const own = packageNameOf(folder);
  if (name === own) return `import from the package's own files by a relative path, not by its name "${specifier}"`;
  return judgeSibling(own, inner, name, specifier) ?? judgeDeclared(own, name, declared);
}

/**
 * @param {string} path
 * @param {string} folder
 * @param {string} inner
 * @param {string} specifier
 */
function judgeRelative(path, folder, inner, specifier) {
  const target = posix.join(posix.dirname(path), specifier);
  if (target.startsWith("packages/") && !target.startsWith(`packages/${folder}/`)) {
    return `"${specifier}" reaches into another package; import it by its name`;
  }
  if (inner.startsWith("src/") && !target.startsWith(`packages/${folder}/src/`)) {
    return `"${specifier}" leaves the package's sources`;
  }
  const suite = "packages/store/src/conformance/";
  if (folder === "store" && inner.startsWith("src/") && target.startsWith(suite) && !path.startsWith(suite)) {
    return "the store's own sources never import the conformance suite";
  }
  return undefined;
}

/**
 * @param {string} own
 * @param {string} inner
 * @param {string} name
 * @param {string} specifier
 */
function judgeSibling(own, inner, name, specifier) {
  if (allowedBy(name) === undefined) return undefined;
  if (/\/(src|dist)(\/|$)/.test(specifier)) return `"${specifier}" goes past the exports of ${name}`;
  if (concreteStores.has(name) && inner === "src/main.ts") return undefined;
  const allowed = allowedBy(own) ?? [];
  if (allowed.includes(name)) return undefined;
  const list = allowed.length === 0 ? "no other package" : allowed.join(", ");
  return `${own} must not import ${name}; it may import ${list}`;
}

/**
 * @param {string} own
 * @param {string} name
 * @param {Map<string, Set<string>>} declared
 */
function judgeDeclared(own, name, declared) {
  return declared.get(own)?.has(name) === false ? `${name} is not among the dependencies of ${own}` : undefined;
}

/** @param {string} specifier */
function packageOf(specifier) {
  if (specifier.startsWith("node:")) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** @param {import("./files.mjs").SourceFile[]} files */
function declaredDependencies(files) {
  /** @type {Map<string, Set<string>>} */
  const declared = new Map();
  for (const file of files) {
    if (!/^packages\/[^/]+\/package\.json$/.test(file.path)) continue;
    const { name, dependencies = {}, peerDependencies = {}, optionalDependencies = {} } = JSON.parse(file.text);
    declared.set(name, new Set(Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })));
  }
  return declared;
}
