import type { NodeRegistration } from "@giveway/store";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Driver } from "../src/driver/driver.ts";
import { loadDriver } from "../src/driver/load.ts";
import { settingsFrom } from "../src/options.ts";
import type { WriteCall } from "../src/wire/calls.ts";
import { encodeInsert } from "../src/wire/encode.ts";
import { type CommitReply, Writer } from "../src/writer/writer.ts";
import { testFile } from "./support/folder.ts";
import { NODE, newTask, newTasks, TYPE } from "./support/tasks.ts";

interface Bench {
  readonly writer: Writer;
  readonly driver: Driver;
  now: number;
  lease: number;
  wakes: number;
}

/** The writing side by itself, with clocks that the test moves and a look at its connection. */
function bench(wrap: (driver: Driver) => Driver = (driver) => driver): Bench {
  const settings = settingsFrom({ file: testFile(), ballast: 0, minFree: 0 });
  const open = loadDriver();
  let own: Driver | null = null;
  const made: { writer: Writer | null; now: number; lease: number; wakes: number } = {
    writer: null,
    now: 0,
    lease: 0,
    wakes: 0,
  };
  const writer = new Writer(
    (file, timeout) => {
      own = wrap(open(file, timeout));
      return own;
    },
    settings,
    () => made.lease,
    { wake: () => (made.wakes += 1), fatal: () => {} },
    () => made.now,
  );
  onTestFinished(() => writer.close());
  if (own === null) throw new Error("no driver was opened");
  return Object.assign(made, { writer, driver: own as Driver }) as Bench;
}

const registration: NodeRegistration = { node: NODE, label: "l", release: "1", types: [TYPE], now: 0, lease: 60_000 };

function insertOf(...ids: readonly string[]): WriteCall {
  return {
    name: "insert",
    args: encodeInsert(
      ids.map((id) => newTask(id)),
      0,
      ids.length,
      1,
    ),
  };
}

function oks(reply: CommitReply): boolean[] {
  return reply.results.map(({ ok }) => ok);
}

function count(driver: Driver, table: string): unknown {
  return driver.prepare(`SELECT count(*) FROM ${table}`).get()?.[0];
}

describe("the lease of an engine whose beats are late", () => {
  it("is renewed once its thread has answered, and not before", () => {
    const own = bench();
    own.lease = 1_000;
    own.writer.commit([{ name: "register", args: registration }]);
    const lastBeat = (): unknown => own.driver.prepare("SELECT last_beat FROM node").get()?.[0];
    own.now = 9_999;
    expect(own.writer.poll()).toEqual([]);
    own.now = 10_000;
    own.lease = 11_000;
    expect(own.writer.poll()).toEqual([NODE]);
    expect(lastBeat()).toBe(1_000);
    own.writer.renewLate([NODE]);
    expect(lastBeat()).toBe(11_000);
    expect(own.writer.poll()).toEqual([]);
  });

  it("is not renewed once it was declared dead, or left", () => {
    const own = bench();
    own.writer.commit([{ name: "register", args: registration }]);
    own.writer.commit([{ name: "declareDead", args: { node: NODE, lastBeat: 0 } }]);
    own.now = 10_000;
    own.writer.renewLate(own.writer.poll());
    expect(own.driver.prepare("SELECT last_beat, dead FROM node").get()).toEqual([0, 1]);
    expect(own.writer.poll()).toEqual([]);
  });
});

describe("one call of a commit that fails by itself", () => {
  /** Refuses rows with a certain name, as a constraint would. */
  const picky = (driver: Driver): Driver => ({
    name: driver.name,
    exec: (sql) => driver.exec(sql),
    prepare(sql) {
      const statement = driver.prepare(sql);
      if (!sql.startsWith("INSERT INTO task")) return statement;
      return {
        get: (...parameters) => statement.get(...parameters),
        all: (...parameters) => statement.all(...parameters),
        run(...parameters) {
          if (parameters.includes("bad"))
            throw Object.assign(new Error("constraint failed"), { code: "SQLITE_CONSTRAINT" });
          return statement.run(...parameters);
        },
      };
    },
    close: () => driver.close(),
  });

  it("takes back only itself: keys, counters and rows of the others are right", () => {
    const own = bench(picky);
    const reply = own.writer.commit([insertOf("a", "b"), insertOf("c", "bad", "d"), insertOf("e")]);
    expect(oks(reply)).toEqual([true, false, true]);
    expect(reply.results[1]).toMatchObject({ error: { code: "internal" } });
    expect(own.driver.prepare("SELECT group_concat(id) FROM task").get()).toEqual(["a,b,e"]);
    expect(own.driver.prepare("SELECT ready FROM depth").get()).toEqual([3]);
    expect(oks(own.writer.commit([insertOf("f")]))).toEqual([true]);
    expect(count(own.driver, "ready")).toBe(4);
  });
});

describe("the log", () => {
  it("is copied back between commits, once it is long enough", () => {
    const own = bench();
    const checkpoints: string[] = [];
    const log = (): number => Number(own.driver.prepare("PRAGMA wal_checkpoint(NOOP)").get()?.[1] ?? 0);
    const payload = JSON.stringify("x".repeat(100_000));
    for (let round = 0; round < 8; round += 1) {
      const tasks = newTasks(40, `round-${round}`, { payload });
      const calls: WriteCall[] = [{ name: "insert", args: encodeInsert(tasks, 0, tasks.length, 1) }];
      own.writer.commit(calls);
      own.writer.settleDown();
      checkpoints.push(String(log()));
    }
    // 8 × 4 MB were written; had nothing been copied back, the log would hold it all.
    expect(Math.max(...checkpoints.map(Number))).toBeLessThan(7_000);
  });
});
