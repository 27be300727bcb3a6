import type { Driver } from "../driver/driver.ts";
import { Depths } from "./depths.ts";
import { Names } from "./names.ts";
import { NodeNumbers } from "./node-numbers.ts";
import { Numbers } from "./numbers.ts";

/** What the writing queries share. Everything cached here is true only while no other process has written: see `Writer`. */
export interface WriteContext {
  readonly driver: Driver;
  readonly numbers: Numbers;
  readonly names: Names;
  readonly depths: Depths;
  readonly nodes: NodeNumbers;
}

export function createContext(driver: Driver): WriteContext {
  return {
    driver,
    numbers: new Numbers(driver),
    names: new Names(driver),
    depths: new Depths(driver),
    nodes: new NodeNumbers(driver),
  };
}

/** Writes what the transaction left in memory; right before its commit. */
export function flushContext(context: WriteContext): void {
  context.depths.flush();
  context.numbers.flush();
}

export function invalidateContext(context: WriteContext): void {
  context.numbers.invalidate();
  context.names.invalidate();
  context.depths.invalidate();
  context.nodes.invalidate();
}
