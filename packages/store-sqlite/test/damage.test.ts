import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testFile } from "./support/folder.ts";
import { openStore, rejection } from "./support/stores.ts";
import { newTasks } from "./support/tasks.ts";

async function filledLedger(): Promise<string> {
  const file = testFile();
  const store = await openStore({ file, inline: true });
  await store.insert(newTasks(2_000), "normal", 1);
  await store.close();
  return file;
}

describe("a damaged file", () => {
  it.each([true, false])("is found at start, in one clear line (inline: %s)", async (inline) => {
    const file = await filledLedger();
    const descriptor = openSync(file, "r+");
    for (const page of [5, 9, 20]) writeSync(descriptor, Buffer.alloc(4_096, 0xab), 0, 4_096, page * 4_096);
    closeSync(descriptor);
    const error = await rejection(openStore({ file, inline }));
    expect(error).toMatchObject({ code: "ledger_corrupt", retryable: false });
    expect(error.message).toContain(file);
    expect(error.message).not.toContain("\n");
  });

  it("is found where it was cut short", async () => {
    const file = await filledLedger();
    truncateSync(file, Math.floor(readFileSync(file).length / 8_192) * 4_096);
    expect(await rejection(openStore({ file, inline: true }))).toMatchObject({ code: "ledger_corrupt" });
  });

  it("is left as it is when it never was a database", async () => {
    const file = testFile();
    const text = "Dear diary, today nothing was scheduled.\n".repeat(200);
    writeFileSync(file, text);
    const error = await rejection(openStore({ file, inline: true }));
    expect(error).toMatchObject({ code: "ledger_corrupt", message: expect.stringContaining("not a SQLite database") });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("can't be opened where a folder has its name", async () => {
    const file = testFile();
    const error = await rejection(openStore({ file: `${file}/..`, inline: true }));
    expect(error).toMatchObject({ code: expect.stringMatching(/^ledger_/) });
  });
});
