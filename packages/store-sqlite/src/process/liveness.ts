import { type ProcessFacts, type ProcessStat, readStat } from "./identity.ts";

/** How the system is asked; tests put another in. */
export interface ProcessTable {
  /** Whether the id is taken, by whomever. */
  exists(pid: number): boolean;
  stat(pid: number): ProcessStat | null;
}

/**
 * Whether the process of a node has provably ended, seen from another one:
 * - the machine was booted since; or its beat lies ahead of the clock that began at boot, which says the same where no boot id is known;
 * - in the same process namespace: its id is free, belongs to a process that is only waiting to be collected, or to one started later.
 *
 * What can't be proven is left to the lease.
 */
export function hasProvablyEnded(
  node: ProcessFacts,
  own: ProcessFacts,
  lastBeat: number,
  clock: number,
  table: ProcessTable = systemTable,
): boolean {
  if (node.boot !== own.boot) return node.boot !== null && own.boot !== null;
  if (node.boot === null && lastBeat > clock + CLOCK_SLACK) return true;
  if (node.namespace !== own.namespace) return false;
  if (!table.exists(node.pid)) return true;
  const stat = table.stat(node.pid);
  if (stat === null) return false;
  if (stat.state === "Z" || stat.state === "X") return true;
  return node.pidStarted !== null && stat.started !== node.pidStarted;
}

/** ms. Beats may lie a little ahead, since each one grows over the one before. */
const CLOCK_SLACK = 60_000;

const systemTable: ProcessTable = {
  exists(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // Refused for lack of rights means that there is one.
      return (error as NodeJS.ErrnoException).code !== "ESRCH";
    }
  },
  stat: readStat,
};
