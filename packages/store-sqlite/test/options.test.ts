import { ATTEMPT_OUTCOMES, STORED_STATES } from "@giveway/kernel";
import { describe, expect, it } from "vitest";
import { OUTCOME_CODES, REASON_CODES, STATE_CODES } from "../src/codes.ts";
import { openSqliteStore } from "../src/index.ts";
import { settingsFrom } from "../src/options.ts";
import { testFile } from "./support/folder.ts";
import { openStore, rejection } from "./support/stores.ts";
import { newTask } from "./support/tasks.ts";

describe("options", () => {
  it.each([
    ["file", { file: "" }],
    ["file", { file: ":memory:" }],
    ["file", { file: "file:ledger.db?mode=memory" }],
    ["busyTimeout", { file: "a.db", busyTimeout: -1 }],
    ["busyTimeout", { file: "a.db", busyTimeout: 1.5 }],
    ["ballast", { file: "a.db", ballast: Number.NaN }],
    ["minFree", { file: "a.db", minFree: -5 }],
    ["driver", { file: "a.db", driver: "sqlite3" as never }],
    ["clock", { file: "a.db", clock: { monotonic: () => 0 } }],
  ])("refuses a bad %s by name", (field, options) => {
    expect(() => openSqliteStore(options)).toThrow(expect.objectContaining({ code: "invalid_option", field }));
  });

  it("have the stated defaults", () => {
    expect(settingsFrom({ file: "/data/ledger.db" })).toEqual({
      file: "/data/ledger.db",
      busyTimeout: 5_000,
      driver: null,
      ballast: 16_777_216,
      minFree: 33_554_432,
    });
  });
});

describe("a store that is not open", () => {
  it("refuses calls before and after", async () => {
    const store = openSqliteStore({ file: testFile(), ballast: 0 });
    expect(await rejection(store.depths())).toMatchObject({ code: "ledger_closed" });
    await store.close();
    expect(await rejection(store.insert([newTask("a")], "normal", 1))).toMatchObject({ code: "ledger_closed" });
    expect(await rejection(store.open())).toMatchObject({ code: "ledger_closed" });
  });

  it("closes twice without harm, also while a read is under way", async () => {
    const store = await openStore({ file: testFile() });
    const reads = [store.depths(), store.find({ limit: 10, now: 1 })];
    await Promise.all([store.close(), store.close()]);
    const outcomes = await Promise.allSettled(reads);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "ledger_closed" });
    }
  });
});

describe("numbers on disk", () => {
  it("stand for the same names for ever", () => {
    expect(STATE_CODES).toEqual(["waiting", "running", "succeeded", "dead", "cancelled"]);
    expect(OUTCOME_CODES.slice(0, 8)).toEqual([
      "succeeded",
      "failed",
      "timed_out",
      "lost",
      "gave_way",
      "released",
      "snoozed",
      "cancelled",
    ]);
    expect(REASON_CODES.slice(0, 9)).toEqual([
      "succeeded",
      "not_retryable",
      "retries_exhausted",
      "invalid_payload",
      "poison",
      "by_hand",
      "expired",
      "shed",
      "replaced",
    ]);
    expect([STATE_CODES.length, OUTCOME_CODES.length]).toEqual([STORED_STATES.length, ATTEMPT_OUTCOMES.length]);
  });
});
