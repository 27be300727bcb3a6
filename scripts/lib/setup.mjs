// Brings a clone into a state in which it can run: packages installed, sources built. It says what it does while it
// does it, and does nothing, within milliseconds, when there is nothing to do.
import { spawn } from "node:child_process";
import { build } from "./build.mjs";
import { isBuilt, isInstalled, requireNode, root, say } from "./workspace.mjs";

const stillWorkingEvery = 15_000;

/** Returns what was done, for the caller's own words; ends the process with a plain line when a step fails. */
export async function setup() {
  requireNode();
  let did = false;
  if (!isInstalled()) {
    did = true;
    await install();
  }
  if (!isBuilt()) {
    did = true;
    say("Building the packages …");
    if (!build()) fail("The build failed; the compiler's messages are above.");
  }
  return did;
}

async function install() {
  say("Installing packages (the SQLite driver compiles for about a minute where no prebuilt one can be had) …");
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const heartbeat = setInterval(() => say(`  still installing, ${seconds()} s so far …`), stillWorkingEvery);
  const { code, output } = await npm(["ci", "--include=dev", "--no-progress", "--loglevel=error"]);
  clearInterval(heartbeat);
  if (code !== 0) {
    process.stderr.write(`${output.trimEnd().split("\n").slice(-60).join("\n")}\n`);
    fail(
      "Installing the packages failed. It needs the package registry and, to compile, python3, make and a C++ compiler.",
    );
  }
  say(`Packages installed in ${seconds()} s.`);
}

/**
 * Runs npm with its output collected: on success nobody needs it, on failure its end tells the cause.
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
function npm(args) {
  const script = process.env["npm_execpath"];
  const viaNode = script?.endsWith(".js") === true;
  const child = viaNode
    ? spawn(process.execPath, [/** @type {string} */ (script), ...args], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
      })
    : spawn("npm", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" });
  return new Promise((resolve) => {
    let output = "";
    const collect = (/** @type {Buffer} */ chunk) => {
      output += chunk;
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", (error) => resolve({ code: 1, output: `npm could not be started: ${error.message}` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * @param {string} line
 * @returns {never}
 */
function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
