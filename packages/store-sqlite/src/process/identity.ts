import { readFileSync, readlinkSync } from "node:fs";

/**
 * Which process a node runs in, so that another one on the same machine can prove its end without waiting for its lease. Null where the
 * system doesn't tell (other than Linux); then less can be proven, and the lease decides.
 */
export interface ProcessFacts {
  /** Of the machine's present boot. */
  readonly boot: string | null;
  /** Process ids mean nothing outside of it: two containers may both have a process 1. */
  readonly namespace: string | null;
  readonly pid: number;
  /** When the process started, in the kernel's own ticks since boot: tells a reused id apart. */
  readonly pidStarted: string | null;
}

export function ownProcess(): ProcessFacts {
  return {
    boot: quietly(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: quietly(() => readlinkSync("/proc/self/ns/pid")),
    pid: process.pid,
    pidStarted: readStat(process.pid)?.started ?? null,
  };
}

export interface ProcessStat {
  /** One letter: Z and X are dead, though their id is still taken. */
  readonly state: string;
  readonly started: string;
}

/** Fields 3 and 22 of the kernel's line on a process; its name, field 2, may hold any character and ends at the last bracket. */
export function readStat(pid: number): ProcessStat | null {
  const text = quietly(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  const started = fields[19];
  return state === undefined || started === undefined ? null : { state, started };
}

function quietly<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
