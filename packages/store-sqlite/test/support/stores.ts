import type { StoreListener, TaskStore } from "@giveway/store";
import { onTestFinished } from "vitest";
import type { Driver, OpenDriver } from "../../src/driver/driver.ts";
import { loadDriver } from "../../src/driver/load.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/index.ts";
import { settingsFrom } from "../../src/options.ts";
import { inlineStore } from "../../src/store.ts";

/** Where tests don't ask for one, no ballast: a hundred ledgers of 16 MiB help nobody. */
const SMALL = { ballast: 0, minFree: 0 } as const;

export interface Heard {
  wakes: number;
  readonly fatal: Error[];
  /** Resolves with the next wake. */
  nextWake(): Promise<void>;
  nextFatal(): Promise<Error>;
}

/** Opens a store and closes it when the test ends. */
export async function openStore(options: SqliteStoreOptions, listener?: StoreListener): Promise<TaskStore> {
  return opened(openSqliteStore({ ...SMALL, ...options }), listener);
}

/** On the test's own thread, with every driver passed through `wrap`: the seam where faults are put in. */
export async function openWrapped(
  options: SqliteStoreOptions,
  wrap: (driver: Driver) => Driver,
  listener?: StoreListener,
): Promise<TaskStore> {
  const settings = settingsFrom({ ...SMALL, ...options, inline: true });
  const open = (): OpenDriver => (file, busyTimeout) => wrap(loadDriver()(file, busyTimeout));
  return opened(inlineStore(settings, open), listener);
}

async function opened(store: TaskStore, listener: StoreListener = { wake() {}, fatal() {} }): Promise<TaskStore> {
  store.listen(listener);
  onTestFinished(() => store.close());
  await store.open();
  return store;
}

/** A listener that a test can wait for. */
export function hearing(): { readonly heard: Heard; readonly listener: StoreListener } {
  const wakers: (() => void)[] = [];
  const mourners: ((error: Error) => void)[] = [];
  const heard: Heard = {
    wakes: 0,
    fatal: [],
    nextWake: () => new Promise((resolve) => wakers.push(resolve)),
    nextFatal: () => new Promise((resolve) => mourners.push(resolve)),
  };
  const listener: StoreListener = {
    wake() {
      heard.wakes += 1;
      for (const wake of wakers.splice(0)) wake();
    },
    fatal(error) {
      heard.fatal.push(error);
      for (const mourn of mourners.splice(0)) mourn(error);
    },
  };
  return { heard, listener };
}

/** The error that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { readonly code?: unknown }> {
  try {
    await promise;
  } catch (error) {
    return error as Error & { readonly code?: unknown };
  }
  throw new Error("nothing was rejected");
}
