import { describe, expect, it } from "vitest";
import { testFile } from "./support/folder.ts";
import { killInserting, killWorking } from "./support/kill-rounds.ts";

describe("kill -9", () => {
  it("loses nothing that was acknowledged", async () => {
    expect(await killInserting(testFile(), 4, 1)).toBeGreaterThan(4);
  });

  it("amid claims and settlements leaves a sound ledger, and the process provably dead", async () => {
    await killWorking(testFile(), 2, 2);
  });
});
