// What setup, build, prepare, start and test share: where the repository is, whether its packages are installed and
// whether its build is current. Plain JavaScript without dependencies, because it runs before anything is installed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const installStamp = join(root, "node_modules", ".giveway-install");
const buildStamp = join(root, "packages", "giveway", "dist", ".build-stamp");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** The lowest Node.js line that Giveway supports; one clear sentence beats a syntax error from somewhere inside. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`Giveway needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

/** The path of the TypeScript compiler, or undefined where development packages were left out. */
export function findCompiler() {
  return existsSync(compiler) ? compiler : undefined;
}

// The native driver is compiled for one Node.js ABI, so a change of Node.js line asks for a new install as well.
function installFingerprint() {
  const lock = readFileSync(join(root, "package-lock.json"));
  const machine = `${process.platform} ${process.arch} abi ${process.versions.modules}`;
  return `${createHash("sha256").update(lock).digest("hex")} ${machine}`;
}

export function isInstalled() {
  return (
    existsSync(join(root, "node_modules", ".package-lock.json")) &&
    findCompiler() !== undefined &&
    readStamp(installStamp) === installFingerprint()
  );
}

export function markInstalled() {
  writeStamp(installStamp, installFingerprint());
}

/** Names, sizes and times of everything that the build reads: no file is opened, so the check costs milliseconds. */
function buildFingerprint() {
  const hash = createHash("sha256");
  for (const name of readdirSync(root).sort()) {
    if (/^tsconfig.*\.json$/.test(name)) addFile(hash, join(root, name));
  }
  for (const name of packageNames()) {
    const folder = join(root, "packages", name);
    for (const entry of readdirSync(folder).sort()) {
      if (entry.endsWith(".json")) addFile(hash, join(folder, entry));
    }
    addFolder(hash, join(folder, "src"));
  }
  return hash.digest("hex");
}

export function isBuilt() {
  const outputs = packageNames().map((name) => join(root, "packages", name, "dist", "index.js"));
  return outputs.every((file) => existsSync(file)) && readStamp(buildStamp) === buildFingerprint();
}

export function markBuilt() {
  writeStamp(buildStamp, buildFingerprint());
}

function packageNames() {
  const folder = join(root, "packages");
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "package.json")))
    .sort();
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} folder
 */
function addFolder(hash, folder) {
  if (!existsSync(folder)) return;
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) addFolder(hash, path);
    else addFile(hash, path);
  }
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} path
 */
function addFile(hash, path) {
  const { size, mtimeMs } = statSync(path);
  hash.update(`${path} ${size} ${mtimeMs}\n`);
}

/** @param {string} path */
function readStamp(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * @param {string} path
 * @param {string} text
 */
function writeStamp(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
