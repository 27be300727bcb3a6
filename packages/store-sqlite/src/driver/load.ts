import { createRequire } from "node:module";
import { GivewayError } from "@giveway/kernel";
import { betterSqlite3 } from "./better-sqlite3.ts";
import type { DriverName, OpenDriver } from "./driver.ts";
import { type NodeSqlite, nodeSqlite } from "./node-sqlite.ts";

const require = createRequire(import.meta.url);

/** Where the libraries come from; tests put others in. */
export interface DriverSource {
  readonly nodeVersion: string;
  /** Loads a module, or throws. */
  load(module: string): unknown;
}

const installed: DriverSource = { nodeVersion: process.versions.node, load: (module) => require(module) };

/** The first Node that better-sqlite3 13 runs on. Older ones end in a segmentation fault when they load it, not in an error. */
const NODE_FOR_13 = [22, 14] as const;

/**
 * Finds the SQLite library to use: better-sqlite3, else Node's own `node:sqlite` (from Node 22.13 on). `only` allows just one of them.
 * Errors: `no_such_module`, naming why each could not be used.
 */
export function loadDriver(only?: DriverName, source: DriverSource = installed): OpenDriver {
  const refusals: string[] = [];
  for (const name of ["better-sqlite3", "node:sqlite"] as const) {
    if (only !== undefined && only !== name) continue;
    const found = name === "better-sqlite3" ? loadBetterSqlite3(source) : loadNodeSqlite(source);
    if (typeof found === "function") return found;
    refusals.push(`${name}: ${found}`);
  }
  throw new GivewayError(
    "no_such_module",
    `no SQLite library can be used (${refusals.join("; ")}); run "npm rebuild better-sqlite3", or use Node 22.13 or newer, which brings its own`,
  );
}

type Refusal = string;

function loadBetterSqlite3(source: DriverSource): OpenDriver | Refusal {
  try {
    const { version } = source.load("better-sqlite3/package.json") as { readonly version: string };
    if (Number.parseInt(version, 10) >= 13 && !isAtLeast(source.nodeVersion, NODE_FOR_13)) {
      return `version ${version} needs Node ${NODE_FOR_13.join(".")} or newer, this is ${source.nodeVersion}`;
    }
    const library = source.load("better-sqlite3") as Parameters<typeof betterSqlite3>[0];
    // The compiled part is loaded only by the first connection, so this is where a missing one shows.
    new library(":memory:").close();
    return betterSqlite3(library);
  } catch (error) {
    return firstLine(error);
  }
}

function loadNodeSqlite(source: DriverSource): OpenDriver | Refusal {
  try {
    return nodeSqlite(source.load("node:sqlite") as NodeSqlite) ?? "has no Database class";
  } catch (error) {
    return `not in Node ${source.nodeVersion} (${firstLine(error)})`;
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? text;
}
