// The package files agree with each other: one version for all, siblings pinned exactly and only along the arrows, an
// allow-list of published files, and no dependency in the kernel.
import { allowedBy, concreteStores, packageNameOf } from "./arrows.mjs";

/**
 * @param {import("./files.mjs").SourceFile[]} files
 * @returns {import("./files.mjs").Finding[]}
 */
export function checkManifests(files) {
  const root = files.find((file) => file.path === "package.json");
  const version = root === undefined ? undefined : JSON.parse(root.text).version;
  return files.flatMap((file) => {
    const folder = /^packages\/([^/]+)\/package\.json$/.exec(file.path)?.[1];
    if (folder === undefined) return [];
    return judge(folder, JSON.parse(file.text), version).map((text) => ({
      level: /** @type {const} */ ("error"),
      path: file.path,
      line: 1,
      rule: "manifest",
      text,
    }));
  });
}

/**
 * @param {string} folder
 * @param {Record<string, unknown>} manifest
 * @param {string | undefined} version
 */
function judge(folder, manifest, version) {
  const name = packageNameOf(folder);
  const dependencies = /** @type {Record<string, string>} */ (manifest["dependencies"] ?? {});
  const problems = [];
  if (manifest["name"] !== name) problems.push(`the name must be ${name}`);
  if (allowedBy(name) === undefined) problems.push(`${name} has no place in scripts/tidy/arrows.mjs`);
  if (version !== undefined && manifest["version"] !== version) problems.push(`the version must be ${version}`);
  if (manifest["license"] !== "MIT") problems.push("the licence must be MIT");
  if (!Array.isArray(manifest["files"])) problems.push("`files` must list what is published");
  if (folder === "kernel" && Object.keys(dependencies).length > 0) problems.push("the kernel has no dependencies");
  for (const [sibling, range] of Object.entries(dependencies)) {
    if (allowedBy(sibling) === undefined) continue;
    if (range !== manifest["version"]) problems.push(`${sibling} must be pinned to ${manifest["version"]}`);
    const isMainOnly = concreteStores.has(sibling) && (folder === "server" || folder === "cli");
    if (!isMainOnly && !allowedBy(name)?.includes(sibling)) problems.push(`${name} must not depend on ${sibling}`);
  }
  return problems;
}
