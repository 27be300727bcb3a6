import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { closure } from "../scripts/tidy/dependencies.mjs";
import { checkLength } from "../scripts/tidy/length.mjs";
import { reduce } from "../scripts/tidy/source-text.mjs";
import { tidy } from "../scripts/tidy/tidy.mjs";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "giveway-tidy-"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function plant(path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** What tidy says about one planted file, as `rule@line`. */
function verdicts(path: string, text: string): string[] {
  plant(path, text);
  return tidy(root).findings.map(({ rule, line }) => `${rule}@${line}`);
}

describe("import arrows", () => {
  test.each([
    ["the kernel importing Node", "packages/kernel/src/a.ts", 'import fs from "node:fs";'],
    ["the kernel importing a sibling", "packages/kernel/src/a.ts", 'import type { X } from "@giveway/store";'],
    ["the kernel importing a package", "packages/kernel/src/a.ts", 'import { z } from "zod";'],
    ["the kernel importing on demand", "packages/kernel/src/a.ts", 'const fs = await import("node:fs");'],
    ["the store importing Node", "packages/store/src/a.ts", 'import { join } from "path";'],
    ["the store importing its suite", "packages/store/src/a.ts", 'export { x } from "./conformance/index.ts";'],
    ["the engine importing a concrete store", "packages/engine/src/a.ts", 'import { x } from "@giveway/store-sqlite";'],
    ["a store importing the engine", "packages/store-sqlite/src/a.ts", 'import { x } from "@giveway/engine";'],
    ["the server naming a store", "packages/server/src/app.ts", 'import { x } from "@giveway/store-sqlite";'],
    ["the api importing the server", "packages/api/src/a.ts", 'export * from "@giveway/server";'],
    ["a reach into a sibling's files", "packages/engine/src/a.ts", 'import { x } from "../../kernel/src/task.ts";'],
    ["a reach past the exports", "packages/engine/src/a.ts", 'import { x } from "@giveway/kernel/src/task.ts";'],
    ["a test reaching into a sibling", "packages/engine/test/a.test.ts", 'import { x } from "../../kernel/src/a.ts";'],
    ["sources importing a test", "packages/engine/src/a.ts", 'import { x } from "../test/help.ts";'],
    ["a package importing itself by name", "packages/engine/src/a.ts", 'import { x } from "@giveway/engine";'],
  ])("catch %s", (_, path, text) => {
    expect(verdicts(path, `\n${text}\n`).filter((verdict) => verdict.startsWith("import@2"))).not.toEqual([]);
  });

  test.each([
    ["the engine importing the kernel", "packages/engine/src/a.ts", 'import { x } from "@giveway/kernel";'],
    ["the front door naming a store", "packages/giveway/src/a.ts", 'import { x } from "@giveway/store-sqlite";'],
    ["a main file naming a store", "packages/server/src/main.ts", 'import { x } from "@giveway/store-sqlite";'],
    ["a test naming a store", "packages/engine/test/a.test.ts", 'import { x } from "@giveway/store-sqlite";'],
    ["the suite importing Vitest", "packages/store/src/conformance/a.ts", 'import { test } from "vitest";'],
    ["an import that is only told of", "packages/kernel/src/a.ts", '// never import fs from "node:fs"\nexport {};'],
  ])("allow %s", (_, path, text) => {
    expect(verdicts(path, `${text}\n`)).toEqual([]);
  });

  test("ask for every import to be declared", () => {
    plant("packages/engine/package.json", manifest("@giveway/engine", { "@giveway/kernel": "0.1.0" }));
    const text = 'import { a } from "@giveway/kernel";\nimport { b } from "left-pad";\nexport { a, b };\n';
    expect(verdicts("packages/engine/src/a.ts", text)).toEqual(["import@2"]);
  });
});

describe("purity", () => {
  test.each([
    "const now = Date.now();",
    "const now = new Date();",
    "const now = new Date;",
    "const chance = Math.random();",
    "const late = setTimeout(() => {}, 5);",
    "setInterval(tick, 5);",
    "const at = performance.now();",
    "const name = process.env.NAME;",
    "console.log(1);",
    `const text = ${"`"}at ${"$"}{Date.now()}${"`"};`,
  ])("holds in the kernel and in the store: %s", (text) => {
    expect(verdicts("packages/kernel/src/a.ts", `export {};\n${text}\n`)).toEqual(["purity@2"]);
    rmSync(join(root, "packages/kernel"), { recursive: true });
    expect(verdicts("packages/store/src/memory/a.ts", `export {};\n${text}\n`)).toEqual(["purity@2"]);
  });

  test("keeps the kernel synchronous", () => {
    expect(verdicts("packages/kernel/src/a.ts", "export async function f() {}\n")).toEqual(["purity@1"]);
  });

  test.each([
    ["a date made from an argument", "export const f = (ms: number) => new Date(ms).toISOString();"],
    ["a comment", "/** Never calls Date.now() or setTimeout(). */\nexport {};"],
    ["a text", 'export const advice = "pass Date.now() as an argument";'],
    ["a port's signature", "export interface Clock {\n  setImmediate(callback: () => void): void;\n}"],
  ])("lets pass %s", (_, text) => {
    expect(verdicts("packages/kernel/src/a.ts", `${text}\n`)).toEqual([]);
  });

  test("does not bind the other packages", () => {
    expect(verdicts("packages/engine/src/a.ts", "export const now = Date.now();\n")).toEqual([]);
  });
});

describe("words", () => {
  // Put together here, so that this file itself stays clean.
  test.each([
    ["unfinished@1", "packages/engine/src/a.ts", `// ${"TO"}${"DO"} later`],
    ["silenced@1", "packages/engine/src/a.ts", `// @ts-${"ignore"}`],
    ["silenced@1", "packages/engine/src/a.ts", "export const a = 1 as any;"],
    ["narrowed@1", "packages/engine/test/a.test.ts", 'test.only("a", () => {});'],
    ["narrowed@1", "packages/engine/test/a.test.ts", 'describe.skip("a", () => {});'],
    ["place@1", "docs/a.md", `see https://registry.${"example"}.org/giveway`],
    ["place@1", "docs/a.md", `run it in ${"/"}home/me/giveway`],
    ["place@1", "package-lock.json", `{ "packages": {}, "resolved": "https:${"//"}x.example/a.tgz" }`],
  ])("%s in %s", (verdict, path, text) => {
    expect(verdicts(path, `${text}\n`)).toEqual([verdict]);
  });
});

describe("file length", () => {
  const file = (lines: number) => ({ path: "a.ts", text: "x\n".repeat(lines), isCode: true, code: "", bare: "" });
  const levels = (lines: number, exceptions = {}) => checkLength([file(lines)], exceptions).map(({ level }) => level);

  test("warns above 400 lines and fails above 600", () => {
    expect(levels(400)).toEqual([]);
    expect(levels(401)).toEqual(["warning"]);
    expect(levels(601)).toEqual(["error"]);
  });

  test("an exception holds exactly, and has to shrink with its file", () => {
    expect(levels(700, { "a.ts": 700 })).toEqual([]);
    expect(levels(701, { "a.ts": 700 })).toEqual(["error"]);
    expect(levels(699, { "a.ts": 700 })).toEqual(["error"]);
    expect(levels(600, { "a.ts": 700 })).toEqual(["error"]);
    expect(levels(10, { "gone.ts": 700 })).toEqual(["error"]);
  });
});

describe("package files", () => {
  const problems = (name: string, text: string) => {
    plant("package.json", '{ "version": "0.1.0" }');
    plant(`packages/${name}/package.json`, text);
    return tidy(root).findings.filter(({ rule }) => rule === "manifest").length;
  };

  test("pass when they follow the rules", () => {
    expect(problems("engine", manifest("@giveway/engine", { "@giveway/kernel": "0.1.0" }))).toBe(0);
  });

  test.each([
    ["the kernel with a dependency", "kernel", manifest("@giveway/kernel", { pino: "1.0.0" })],
    ["a sibling pinned loosely", "engine", manifest("@giveway/engine", { "@giveway/kernel": "^0.1.0" })],
    ["a sibling against the arrows", "engine", manifest("@giveway/engine", { "@giveway/store-sqlite": "0.1.0" })],
    ["a version of its own", "engine", manifest("@giveway/engine", {}, "0.2.0")],
    ["a package without a place", "extra", manifest("@giveway/extra", {})],
  ])("fail for %s", (_, name, text) => {
    expect(problems(name, text)).toBe(1);
  });
});

describe("run-time dependencies", () => {
  const lock = {
    packages: {
      "packages/giveway": { dependencies: { "@giveway/engine": "0.1.0", one: "1.0.0" } },
      "node_modules/@giveway/engine": { link: true, resolved: "packages/engine" },
      "packages/engine": { dependencies: { two: "1.0.0" } },
      "packages/engine/node_modules/two": { optionalDependencies: { three: "1.0.0", absent: "1.0.0" } },
      "node_modules/one": {
        peerDependencies: { four: "*", five: "*" },
        peerDependenciesMeta: { five: { optional: true } },
      },
      "node_modules/two": { dependencies: { wrong: "1.0.0" } },
      "node_modules/three": {},
      "node_modules/four": {},
      "node_modules/five": {},
      "node_modules/wrong": {},
      "node_modules/unrelated": {},
    },
  };

  test("are followed through siblings, nested copies, optional and required peers", () => {
    expect(closure(lock, "packages/giveway")).toEqual(["four", "one", "three", "two"]);
  });

  test("are compared with the committed list both ways", () => {
    plant("package-lock.json", JSON.stringify(lock));
    plant("scripts/dependencies.json", JSON.stringify({ giveway: ["four", "one", "three", "gone"] }));
    const texts = tidy(root).findings.map(({ text }) => text);
    expect(texts).toEqual([expect.stringMatching(/^two is new/), expect.stringMatching(/^gone is no run-time/)]);
  });
});

describe("telling code from text", () => {
  test("keeps line breaks and offsets, blanks comments, strings, templates and regular expressions", () => {
    const text = [
      'const a = "x // y"; // note',
      "/* two",
      "lines */ const b = 'it\\'s';",
      'const c = /[/"]/g; const d = a / b / c;',
      `const e = ${"`"}p ${"$"}{ f({ g: ${"`"}q${"`"} }) } r${"`"};`,
    ].join("\n");
    const { code, bare } = reduce(text);
    expect(code).toHaveLength(text.length);
    expect(bare).toHaveLength(text.length);
    expect(code).toContain('"x // y"');
    expect(code).not.toMatch(/note|two|lines/);
    expect(bare.replace(/ +/g, " ").split("\n")).toEqual([
      'const a = " "; ',
      " ",
      " const b = ' ';",
      "const c = / /g; const d = a / b / c;",
      `const e = ${"`"} ${"$"}{ f({ g: ${"`"} ${"`"} }) } ${"`"};`,
    ]);
  });
});

function manifest(name: string, dependencies: Record<string, string>, version = "0.1.0"): string {
  return JSON.stringify({ name, version, license: "MIT", files: ["dist", "src"], dependencies });
}
