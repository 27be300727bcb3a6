import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Preloaded libraries need Linux, and a compiler to make them. */
export const canShim: boolean =
  process.platform === "linux" && spawnSync("gcc", ["--version"], { stdio: "ignore" }).status === 0;

/** Compiles one of `shims/` into a folder; answers what to put into the environment. */
export function shim(name: string, folder: string, settings: Readonly<Record<string, string>>): Record<string, string> {
  const source = fileURLToPath(new URL(`../shims/${name}.c`, import.meta.url));
  const library = join(folder, `${name}.so`);
  const made = spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"]);
  if (made.status !== 0) throw new Error(`${name}.c does not compile: ${made.stderr}`);
  return { LD_PRELOAD: library, ...settings };
}
