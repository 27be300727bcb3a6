import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { compareWithMemory } from "./support/compare.ts";
import { fastFolder } from "./support/folder.ts";

describe("the SQLite ledger", () => {
  it("answers every script of random calls as the reference store does, and stays sound", async () => {
    const folder = fastFolder();
    const coverage = await compareWithMemory(
      (run) => openSqliteStore({ file: `${folder}/${run}.db`, inline: true, ballast: 0, minFree: 0 }),
      80,
    );
    for (const [what, count] of Object.entries(coverage)) expect(count, what).toBeGreaterThan(3);
  });
});
