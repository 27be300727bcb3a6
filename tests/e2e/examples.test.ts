import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const examples = join(root, "docs", "examples");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "giveway-examples-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs an example as its reader would: plain node, in an empty folder. */
async function output(name: string, ...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [join(examples, name), ...args], { cwd: folder });
  return stdout.trim().split("\n");
}

describe("the examples of the docs, as real programs", () => {
  it("the first program closes the order once and knows it the second time", async () => {
    expect(await output("first-program.mjs")).toEqual([
      "close-10086 is safe on disk",
      "{ closed: true }",
      "the same again: no new task, the first one succeeded",
    ]);
    expect(await output("first-program.mjs")).toEqual([
      "close-10086 was known already",
      "{ closed: true }",
      "the same again: no new task, the first one succeeded",
    ]);
  });

  it.each(["memory", "sqlite:walk.db"])("the walk-through of article A holds (A17) on %s", async (store) => {
    const lines = await output("walk-through.mjs", store);
    expect(lines).toHaveLength(4);
    // Four ordinary tasks held the slots; the critical one takes the first slot that is free.
    expect(Number(/number (\d+) of 21/.exec(lines[0] ?? "")?.[1])).toBeLessThanOrEqual(8);
    expect(lines.slice(1)).toEqual([
      "submitted again: created false, the first one succeeded",
      "the failing task: task_dead after 4 attempts, failed, failed, failed, failed",
      "ordinary tasks that ran: 20 of 20",
    ]);
  });

  it("every program shown in the README and the guides is one of the examples, word for word", async () => {
    const pages = [
      "README.md",
      ...(await readdir(join(root, "docs", "guides"))).map((name) => join("docs", "guides", name)),
    ];
    let shown = 0;
    for (const page of pages) {
      const text = await readFile(join(root, page), "utf8");
      for (const [, name, code] of text.matchAll(/<!-- example: (\S+) -->\n```js\n([\s\S]*?)```/g)) {
        expect(code, `${name} in ${page}`).toBe(await readFile(join(examples, name ?? ""), "utf8"));
        shown += 1;
      }
    }
    expect(shown).toBeGreaterThanOrEqual(2);
  });
});
