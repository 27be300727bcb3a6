import { spawnSync } from "node:child_process";
import { findCompiler, markBuilt, root } from "./workspace.mjs";

/**
 * Compiles every package and remembers what was compiled. Returns false when the compiler found errors (it has printed
 * them); throws when there is no compiler.
 */
export function build() {
  const compiler = findCompiler();
  if (compiler === undefined) throw new Error("the TypeScript compiler is not installed; run `npm run setup`");
  const { status } = spawnSync(process.execPath, [compiler, "-b"], { cwd: root, stdio: "inherit" });
  if (status !== 0) return false;
  markBuilt();
  return true;
}
