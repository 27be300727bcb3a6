import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { Child } from "./support/child.ts";
import { testFile } from "./support/folder.ts";
import { openStore } from "./support/stores.ts";

/** Rights don't bind the superuser: as one, the child is started as nobody. */
const root = process.getuid?.() === 0;
const NOBODY = 65_534;

async function openedBy(file: string): Promise<{ code: string | null; message?: string }> {
  const child = new Child("opener", [file], root ? { uid: NOBODY } : {});
  return child.until<{ code: string | null }>(() => true);
}

/** A ledger whose folder belongs to whom the child runs as. */
async function ledger(): Promise<string> {
  const file = testFile();
  await (await openStore({ file, inline: true })).close();
  chmodSync(dirname(file), 0o755);
  if (root) {
    chownSync(dirname(file), NOBODY, NOBODY);
    chownSync(file, NOBODY, NOBODY);
  }
  return file;
}

describe("a ledger that can't be written", () => {
  it("opens where it can: the check of the checks", async () => {
    expect(await openedBy(await ledger())).toEqual({ code: null });
  });

  it("is refused where the file is read-only", async () => {
    const file = await ledger();
    chmodSync(file, 0o444);
    const { code, message } = await openedBy(file);
    expect(code).toBe("ledger_read_only");
    expect(message).toContain(file);
    expect(message).not.toContain("\n");
  });

  it("is refused where the folder is read-only", async () => {
    const file = await ledger();
    chmodSync(dirname(file), 0o555);
    const { code } = await openedBy(file);
    chmodSync(dirname(file), 0o755);
    expect(code).toBe("ledger_read_only");
  });

  it("is refused where its folder can't be made", async () => {
    const file = await ledger();
    chmodSync(dirname(file), 0o555);
    const { code } = await openedBy(`${dirname(file)}/new/ledger.db`);
    chmodSync(dirname(file), 0o755);
    expect(code).toBe("ledger_read_only");
  });

  it("is named where a file stands in the way of its folder", async () => {
    const file = testFile();
    writeFileSync(`${file}.txt`, "a file");
    const child = new Child("opener", [`${file}.txt/ledger.db`]);
    expect(await child.until<{ code: string }>(() => true)).toMatchObject({ code: "ledger_unavailable" });
  });
});
