// `npm start`: brings the clone into shape and runs `giveway serve` with the demonstration, on a ledger in ./data.
// Every flag of `serve` passes through; `npm start -- --no-demo` leaves the demonstration out. The command runs in this
// very process, so signals reach it directly and there is no child to outlive its parent.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setup } from "./lib/setup.mjs";
import { root, say } from "./lib/workspace.mjs";

await setup();

const flags = process.argv.slice(2);
const names = new Set(flags.map((flag) => flag.split("=")[0]));
if (!names.has("--demo") && !names.has("--no-demo")) flags.push("--demo");
if (!names.has("--db")) {
  mkdirSync(join(root, "data"), { recursive: true });
  flags.push("--db", "sqlite:./data/giveway.db");
}

const command = join(root, "packages", "cli", "bin", "giveway.js");
process.chdir(root);
process.argv = [process.execPath, command, "serve", ...flags];
say(`giveway serve ${flags.join(" ")}`);
await import(pathToFileURL(command).href);
