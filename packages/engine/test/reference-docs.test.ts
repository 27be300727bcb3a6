import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as names from "../src/config/option-names.ts";
import { World } from "./support/world.ts";

const page = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, "..", "..", "..", "docs", "reference", name), "utf8");

describe("the reference pages keep in step with the code", () => {
  it("options.md names every option", async () => {
    const text = await page("options.md");
    const all = new Set(Object.values(names).flat());
    expect([...all].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it("metrics.md lists every family, and no other", async () => {
    const text = await page("metrics.md");
    const listed = [...text.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, kind]) => `${name} ${kind}`);
    const world = new World();
    const node = await world.started({ tasks: [world.sleeper()] });
    const { families } = await node.engine.metrics();
    expect(listed.toSorted()).toEqual(families.map(({ name, type }) => `${name} ${type}`).toSorted());
  });

  it("events-and-logs.md lists every kind with its level", async () => {
    const text = await page("events-and-logs.md");
    const listed = [...text.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, kind, level]) => `${kind} ${level}`);
    const source = await readFile(join(import.meta.dirname, "..", "src", "observe", "log-lines.ts"), "utf8");
    const known = [...source.matchAll(/^ {2}(\w+): \[\s*"(\w+)",/gm)].map(([, kind, level]) => `${kind} ${level}`);
    expect(known.length).toBeGreaterThan(15);
    // The last two are logged where they happen, with what only that place knows.
    const elsewhere = ["progress none", "type_stopped error", "lease_lost error"];
    expect(listed.toSorted()).toEqual([...known, ...elsewhere].toSorted());
  });
});
