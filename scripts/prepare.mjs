// npm runs this after every install in the repository, so that `npx giveway` works after `npm ci` alone.
// An install without development packages has no compiler: nothing to do then, and no reason to fail.
import { build } from "./lib/build.mjs";
import { findCompiler, markInstalled, say } from "./lib/workspace.mjs";

if (findCompiler() === undefined) {
  say("Giveway: development packages are left out, so nothing is built here.");
} else {
  markInstalled();
  if (!build()) process.exitCode = 1;
}
