// Source row C23: few dependencies. Everything that `npm install giveway` brings, counted by name from the lock file and
// compared with the committed list, so that a new one is always a decision and never an accident.

/** The list; `npm run tidy -- --accept-dependencies` rewrites it. */
export const listPath = "scripts/dependencies.json";

/**
 * @param {import("./files.mjs").SourceFile[]} files
 * @returns {import("./files.mjs").Finding[]}
 */
export function checkDependencies(files) {
  const lock = files.find((file) => file.path === "package-lock.json");
  if (lock === undefined) return [];
  const actual = closure(JSON.parse(lock.text), "packages/giveway");
  const list = files.find((file) => file.path === listPath);
  const listed = new Set(/** @type {string[]} */ (list === undefined ? [] : JSON.parse(list.text).giveway));
  const added = actual.filter((name) => !listed.has(name));
  const removed = [...listed].filter((name) => !actual.includes(name));
  return [
    ...added.map((name) => finding(`${name} is new among the run-time dependencies of giveway; is it worth it?`)),
    ...removed.map((name) => finding(`${name} is no run-time dependency any more; take it off the list`)),
  ];
}

/**
 * Names of all third-party packages that an install of the workspace folder `start` brings, sorted. Optional packages
 * count: somebody's machine installs them.
 * @param {{ packages: Record<string, LockEntry> }} lock
 * @param {string} start
 */
export function closure(lock, start) {
  const names = new Set();
  const seen = new Set([start]);
  const queue = [start];
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const entry = lock.packages[place];
    for (const name of wantedBy(entry)) {
      const found = resolve(lock, place, name);
      if (found === undefined || seen.has(found)) continue;
      seen.add(found);
      queue.push(found);
      if (found.includes("node_modules/")) names.add(name);
    }
  }
  return [...names].sort();
}

/**
 * @typedef {object} LockEntry
 * @property {boolean} [link]
 * @property {string} [resolved]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 */

/**
 * @param {LockEntry | undefined} entry
 * @returns {string[]}
 */
function wantedBy(entry) {
  if (entry === undefined) return [];
  const peers = Object.keys(entry.peerDependencies ?? {});
  const required = peers.filter((name) => entry.peerDependenciesMeta?.[name]?.optional !== true);
  return [...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {}), ...required];
}

/**
 * Node's own look-up: the nearest node_modules folder upwards that has the name.
 * @param {{ packages: Record<string, LockEntry> }} lock
 * @param {string} place
 * @param {string} name
 */
function resolve(lock, place, name) {
  for (let base = place; ; base = base.slice(0, Math.max(0, base.lastIndexOf("/")))) {
    const candidate = base === "" ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    const entry = lock.packages[candidate];
    if (entry !== undefined) return entry.link === true ? entry.resolved : candidate;
    if (base === "") return undefined;
  }
}

/**
 * @param {string} text
 * @returns {import("./files.mjs").Finding}
 */
function finding(text) {
  return { level: "error", path: listPath, line: 1, rule: "dependencies", text };
}
