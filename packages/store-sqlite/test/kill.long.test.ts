import { describe, expect, it } from "vitest";
import { testFile } from "./support/folder.ts";
import { killInserting, killWorking } from "./support/kill-rounds.ts";

const seed = Date.now();

describe(`kill -9, 50 rounds (seed ${seed})`, () => {
  it("loses nothing that was acknowledged", async () => {
    expect(await killInserting(testFile(), 50, seed)).toBeGreaterThan(50);
  });

  it("amid claims and settlements leaves a sound ledger, and the process provably dead", async () => {
    await killWorking(testFile(), 50, seed);
  });
});
