import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { compareWithMemory } from "./support/compare.ts";
import { fastFolder } from "./support/folder.ts";

describe("the SQLite ledger, 10 000 scripts", () => {
  it("answers as the reference store does", async () => {
    const folder = fastFolder();
    const coverage = await compareWithMemory((run) => {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${folder}/${run - 1}.db${end}`, { force: true });
      return openSqliteStore({ file: `${folder}/${run}.db`, inline: true, ballast: 0, minFree: 0 });
    }, 10_000);
    expect(coverage.applied).toBeGreaterThan(1_000);
  });
});
