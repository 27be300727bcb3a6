import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { giveway, type Ran, type Served, serve } from "./support/serve.ts";

let folder: string;
let served: Served;
let db: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "giveway-cli-"));
  db = `sqlite:${join(folder, "tasks.db")}`;
  served = await serve(db, ["--tasks", join(import.meta.dirname, "fixtures", "cli-tasks.mjs")]);
});
afterAll(async () => {
  await served.end("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

const cli = (...args: readonly string[]): Promise<Ran> => giveway([...args, "--url", served.url], { cwd: folder });

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await cli(...args, "--json");
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe("the command line against a real server", () => {
  it("submits, waits and shows", async () => {
    expect(await cli("submit", "echo", "--payload", '{"a":1}', "--id", "one")).toMatchObject({
      code: 0,
      stdout: "submitted one\n",
      stderr: "",
    });
    const again = await json("submit", "echo", "--payload", '{"a":1}', "--id", "one", "--wait");
    expect(again).toMatchObject({ created: false, task: { id: "one", state: "succeeded", result: { a: 1 } } });
    const shown = await json("show", "one");
    expect(shown).toMatchObject({ task: { id: "one" }, history: { attempts: [{ attempt: 1, outcome: "succeeded" }] } });
    expect((await cli("show", "one")).stdout).toMatch(/id +one[\s\S]*attempt 1: succeeded/);
  });

  it("reads a payload from standard input, and waits for a task that takes its time", async () => {
    const ran = await giveway(["submit", "sleep", "--payload", "-", "--wait", "--json", "--url", served.url], {
      stdin: '{"ms":120}',
    });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ task: { state: "succeeded", result: { slept: 120 } } });
  });

  it("fails with 1 where the awaited task fails", async () => {
    const ran = await cli("submit", "doomed", "--id", "doomed-1", "--wait");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^giveway: task doomed-1 ended dead\n$/);
  });

  it("answers a conflict as one line, and as a problem with --json", async () => {
    await cli("submit", "echo", "--payload", "1", "--id", "conflict");
    const text = await cli("submit", "echo", "--payload", "2", "--id", "conflict");
    expect(text).toMatchObject({ code: 1, stdout: "" });
    expect(text.stderr.trim().split("\n")).toHaveLength(1);
    const problem = await cli("submit", "echo", "--payload", "2", "--id", "conflict", "--json");
    expect(JSON.parse(problem.stderr)).toMatchObject({ code: "id_conflict", status: 409 });
  });

  it("changes a waiting task: reweight, edit, why, cancel, rerun, remove", async () => {
    await cli("submit", "echo", "--payload", "1", "--id", "later", "--delay", "1h");
    expect(await json("reweight", "later", "critical")).toMatchObject({ task: { weight: 10 } });
    expect(await json("edit", "later", "--payload", "2", "--name", "renamed")).toMatchObject({
      task: { payload: 2, name: "renamed" },
    });
    const why = await json("why", "later");
    expect(why).toMatchObject({ state: "waiting", view: "delayed" });
    expect(why.reasons.map((reason: { code: string }) => reason.code)).toContain("due_time");
    expect((await cli("why", "later")).stdout).toContain("later is delayed");
    expect(await json("cancel", "later", "--cause", "not needed")).toMatchObject({ task: { state: "cancelled" } });
    expect(await json("rerun", "later", "--delay", "1h")).toMatchObject({ task: { state: "waiting" } });
    const { history } = await json("show", "later");
    expect(history.changes.map((change: { kind: string }) => change.kind)).toEqual([
      "reweighted",
      "edited",
      "cancelled",
      "rerun",
    ]);
    expect(await json("remove", "later")).toEqual({ removed: "later" });
    expect(await cli("show", "later")).toMatchObject({ code: 1, stderr: expect.stringContaining("later") });
  });

  it("lists with filters and pages", async () => {
    for (let n = 0; n < 3; n += 1)
      await cli("submit", "echo", "--payload", String(n), "--id", `listed-${n}`, "--delay", "1h", "--tag", "paged");
    const first = await json("list", "--tag", "paged", "--limit", "2");
    expect(first.items.map((task: { id: string }) => task.id)).toEqual(["listed-2", "listed-1"]);
    const second = await json("list", "--tag", "paged", "--limit", "2", "--cursor", first.nextCursor);
    expect(second).toMatchObject({ items: [{ id: "listed-0" }], nextCursor: null });
    expect(await json("list", "--state", "delayed", "--text", "listed-1")).toMatchObject({
      items: [{ id: "listed-1" }],
    });
    expect((await cli("list", "--tag", "paged")).stdout).toMatch(/^ID +TYPE[\s\S]*listed-2/);
    expect(await cli("list", "--state", "asleep")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("asleep"),
    });
  });

  it("redrives dead letters: counts first, asks for a yes, then does it", async () => {
    await cli("submit", "doomed", "--id", "doomed-2", "--wait");
    expect(await json("redrive", "--type", "doomed", "--dry-run")).toMatchObject({ matched: 2 });
    expect(await cli("redrive", "--type", "doomed")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    expect(await json("redrive", "doomed-2", "--payload", '"mended"', "--yes")).toMatchObject({ redriven: 1 });
    const { task } = await json("submit", "doomed", "--payload", '"mended"', "--id", "doomed-2", "--wait");
    expect(task).toMatchObject({ state: "succeeded", result: "mended" });
  });

  it("pauses and resumes queues and types, and shows what would start next", async () => {
    expect(await cli("pause", "default", "--cause", "stock-taking")).toMatchObject({
      code: 0,
      stdout: "paused queue default\n",
    });
    await cli("submit", "echo", "--payload", "1", "--id", "low", "--weight", "low");
    await cli("submit", "echo", "--payload", "1", "--id", "urgent", "--weight", "critical");
    const { items } = await json("next", "default");
    expect(items.map((item: { id: string }) => item.id)).toEqual(["urgent", "low"]);
    expect((await json("why", "low")).reasons.map((reason: { code: string }) => reason.code)).toContain("paused_queue");
    expect((await cli("queues")).stdout).toMatch(/default.*paused/);
    expect(await cli("resume", "default")).toMatchObject({ code: 0 });
    expect(await json("submit", "echo", "--payload", "1", "--id", "low", "--wait")).toMatchObject({
      task: { state: "succeeded" },
    });
    expect(await cli("pause", "--type", "echo")).toMatchObject({ code: 0, stdout: "paused type echo\n" });
    expect(await cli("resume", "--type", "echo")).toMatchObject({ code: 0 });
    expect(await cli("pause", "nowhere")).toMatchObject({ code: 1, stderr: expect.stringContaining("nowhere") });
  });

  it("looks around: queues, slots, nodes, stats, doctor", async () => {
    expect((await json("queues")).items.map((queue: { name: string }) => queue.name)).toContain("default");
    expect((await json("nodes")).items).toMatchObject([{ alive: true }]);
    expect(await json("slots")).toEqual({ items: expect.any(Array), nextCursor: null });
    expect(await json("stats")).toMatchObject({ dead: 1 });
    const report = await json("doctor");
    expect(report).toMatchObject({ ok: true });
    expect(report.findings.find((finding: { check: string }) => finding.check === "idempotency").text).toContain(
      "doomed",
    );
    const ledger = await giveway(["doctor", "--db", db, "--json"]);
    expect(JSON.parse(ledger.stdout)).toMatchObject({ ok: true });
  });

  it("backs up while the server runs, and the copy holds what the ledger holds", async () => {
    const copy = join(folder, "copy.db");
    const made = await giveway(["backup", copy, "--db", db, "--json"]);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(await giveway(["backup", copy, "--db", db])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("copy.db"),
    });
    const second = await serve(`sqlite:${copy}`);
    try {
      expect(await second.client.get("one")).toMatchObject({ task: { state: "succeeded" } });
    } finally {
      await second.end("SIGKILL");
    }
  });

  it("shows what tasks carry as text: no control code reaches the terminal (V-45)", async () => {
    const evil = "evil \u001b[2J\u0007 \u202e name";
    await served.client.submit({ type: "doomed", payload: evil, id: "evil", tags: ["evil"] });
    const named = await cli("submit", "echo", "--name", evil);
    expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining("name") });
    expect(named.stderr).not.toContain("\u001b");
    for (const command of [
      ["show", "evil"],
      ["list", "--tag", "evil"],
      ["why", "evil"],
    ]) {
      const { code, stdout } = await cli(...command);
      expect(code).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(stdout.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
  });
});

describe("serve", () => {
  it("stops gracefully by SIGTERM: what runs ends, and the exit code is 0", async () => {
    const other = await serve(`sqlite:${join(folder, "stop.db")}`);
    await other.client.submit({ type: "sleep", payload: { ms: 300 }, id: "running" });
    expect(await other.end("SIGTERM")).toBe(0);
    const again = await serve(`sqlite:${join(folder, "stop.db")}`);
    expect(await again.client.get("running")).toMatchObject({ task: { state: "succeeded", attempt: 1 } });
    await again.end("SIGKILL");
  });

  it.each([
    [["--db", "mysql:x"], /store: expected "sqlite:FILE"/],
    [["--db", "memory", "--host", "0.0.0.0"], /GIVEWAY_TOKENS/],
    [["--db", "memory", "--tasks", "no-such-file.mjs"], /no-such-file\.mjs/],
    [["--db", "memory", "--config", "no-such-file.json"], /no-such-file\.json/],
  ])("refuses %j in one line", async (args, message) => {
    const ran = await giveway(["serve", "--port", "0", ...args], { cwd: folder, env: { GIVEWAY_LOG_LEVEL: "silent" } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("says so where the port is taken", async () => {
    const ran = await giveway(["serve", "--db", "memory", "--port", new URL(served.url).port], {
      env: { GIVEWAY_LOG_LEVEL: "silent" },
    });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("the port is taken") });
  });
});
