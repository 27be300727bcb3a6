import { describe, expect, it } from "vitest";
import { Child } from "./support/child.ts";
import { testFile } from "./support/folder.ts";

const ZONES = ["UTC", "Asia/Kathmandu", "America/St_Johns"];

/** What a process in a zone sees of a task; it stores it first where a due time is given. */
async function seenFrom(
  file: string,
  zone: string,
  ...args: readonly string[]
): Promise<{ dueAt: number; text: string }> {
  const child = new Child("reader", [file, ...args], { env: { TZ: zone } });
  const seen = await child.until<{ dueAt: number; text: string; zone: string }>(() => true);
  expect(seen.zone).toBe(zone);
  return seen;
}

describe("V-16: instants stay instants", () => {
  it("whatever zones the processes that write and read are in", async () => {
    const file = testFile();
    const instant = "2026-03-08T02:30:00.123+05:45";
    const matrix: string[] = [];
    for (const writer of ZONES) {
      await seenFrom(file, writer, `from-${writer}`, instant);
      for (const reader of ZONES) {
        const { dueAt, text } = await seenFrom(file, reader, `from-${writer}`);
        matrix.push(`${dueAt} ${text}`);
      }
    }
    expect(matrix).toHaveLength(9);
    expect(new Set(matrix)).toEqual(new Set([`${Date.parse(instant)} 2026-03-07T20:45:00.123Z`]));
  });
});
