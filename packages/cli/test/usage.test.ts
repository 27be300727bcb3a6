import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../src/program.ts";
import { giveway } from "./harness.ts";

/** Nothing listens there: a command that gets that far fails with exit code 1, never 2. */
const NOWHERE = ["--url", "http://127.0.0.1:9"];

describe("wrong usage ends with 2 and says what is wrong", () => {
  it.each([
    [["lisst"], /unknown command 'lisst'[\s\S]*list/],
    [["list", "--stat", "dead"], /unknown option '--stat'[\s\S]*--state/],
    [["list", "--limit", "0"], /whole number from 1 to 1000/],
    [["list", "--limit", "many"], /whole number/],
    [["show"], /missing required argument 'id'/],
    [["submit"], /missing required argument 'type'/],
    [["submit", "echo", "--weight", "11", ...NOWHERE], /1 to 10/],
    [["submit", "echo", "--payload", "{", ...NOWHERE], /--payload: not JSON/],
    [["submit", "echo", "--payload", "@no-such-file", ...NOWHERE], /can't read no-such-file/],
    [["reweight", "x", "urgent", ...NOWHERE], /low, normal, high, critical/],
    [["edit", "x", ...NOWHERE], /nothing to change/],
    [["pause", ...NOWHERE], /name one queue, or one type/],
    [["pause", "orders", "--type", "t", ...NOWHERE], /name one queue, or one type/],
    [["serve", "--port", "70000"], /from 0 to 65535/],
  ])("giveway %j", async (args, message) => {
    const answer = await giveway(args);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toMatch(message);
    expect(answer.stdout).toBe("");
  });
});

describe("failure ends with 1 and one line", () => {
  it("names the server that does not answer", async () => {
    const answer = await giveway(["list", ...NOWHERE]);
    expect(answer.code).toBe(1);
    expect(answer.stderr).toMatch(/^giveway: .*127\.0\.0\.1:9.*\n$/);
  });

  it("is a problem document with --json", async () => {
    const answer = await giveway(["list", "--json", ...NOWHERE]);
    expect(answer.code).toBe(1);
    expect(JSON.parse(answer.stderr)).toMatchObject({
      code: expect.any(String),
      detail: expect.stringContaining("127.0.0.1:9"),
    });
  });

  it("takes the server from the environment, the flag wins", async () => {
    const env = { GIVEWAY_URL: "http://127.0.0.1:19" };
    expect((await giveway(["list"], { env })).stderr).toContain("127.0.0.1:19");
    expect((await giveway(["list", ...NOWHERE], { env })).stderr).not.toContain("127.0.0.1:19");
  });

  it("makes no ledger where none is", async () => {
    for (const args of [
      ["doctor", "--db", "sqlite:no-such-ledger.db"],
      ["backup", "copy.db", "--db", "sqlite:no-such-ledger.db"],
    ]) {
      const answer = await giveway(args);
      expect(answer).toMatchObject({ code: 1, stderr: "giveway: there is no ledger at no-such-ledger.db\n" });
    }
  });
});

describe("help", () => {
  it("is what no arguments give, with exit code 0", async () => {
    const answer = await giveway([]);
    expect(answer.code).toBe(0);
    expect(answer.stdout).toContain("Usage: giveway");
  });

  it("exists for each command, and the reference describes each", async () => {
    const reference = await readFile(
      join(import.meta.dirname, "..", "..", "..", "docs", "reference", "cli.md"),
      "utf8",
    );
    const described = [...reference.matchAll(/^### `(\S+)/gm)].map((match) => (match[1] ?? "").replaceAll("`", ""));
    const surroundings = {
      stdout: process.stdout,
      stderr: process.stderr,
      stdin: process.stdin,
      env: {},
      now: () => 0,
    };
    const names = createProgram(surroundings).commands.map((command) => command.name());
    expect(described.toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const answer = await giveway([name, "--help"]);
      expect(answer).toMatchObject({ code: 0, stderr: "" });
      expect(answer.stdout).toContain(`Usage: giveway ${name}`);
    }
  });
});
