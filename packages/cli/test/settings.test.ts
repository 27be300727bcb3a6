import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadTasks } from "../src/serve/load-tasks.ts";
import { serveSettings } from "../src/serve/settings.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "giveway-settings-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("settings of serve", () => {
  it("have defaults", async () => {
    expect(await serveSettings({}, {})).toEqual({
      db: "sqlite:./data/giveway.db",
      port: 7700,
      host: "127.0.0.1",
      tasks: null,
      demo: false,
      logLevel: null,
      queues: {},
    });
  });

  it("come from flags, then the environment, then the file", async () => {
    const config = await file(
      "c.json",
      JSON.stringify({ db: "sqlite:file.db", port: 1, host: "::1", queues: { orders: { slots: 2 } } }),
    );
    const env = { GIVEWAY_DB: "sqlite:env.db", PORT: "2" };
    expect(await serveSettings({ config }, {})).toMatchObject({
      db: "sqlite:file.db",
      port: 1,
      host: "::1",
      queues: { orders: { slots: 2 } },
    });
    expect(await serveSettings({ config }, env)).toMatchObject({ db: "sqlite:env.db", port: 2, host: "::1" });
    expect(await serveSettings({ config, db: "memory", port: 0 }, env)).toMatchObject({ db: "memory", port: 0 });
    expect(await serveSettings({}, { GIVEWAY_PORT: "3", PORT: "2" })).toMatchObject({ port: 3 });
    expect(await serveSettings({}, { GIVEWAY_DB: "" })).toMatchObject({ db: "sqlite:./data/giveway.db" });
  });

  it("name the bad key", async () => {
    await expect(serveSettings({}, { PORT: "http" })).rejects.toMatchObject({ code: "invalid_config", field: "PORT" });
    const typo = await file("typo.json", JSON.stringify({ prot: 1 }));
    await expect(serveSettings({ config: typo }, {})).rejects.toThrow(/typo\.json: .*prot/);
    const bad = await file("bad.json", JSON.stringify({ port: "x" }));
    await expect(serveSettings({ config: bad }, {})).rejects.toMatchObject({ code: "invalid_config", field: "port" });
    await expect(serveSettings({ config: join(folder, "none.json") }, {})).rejects.toThrow(/config: can't read/);
  });
});

describe("task files", () => {
  it("give every definition once, from default and named exports", async () => {
    const path = await file(
      "tasks.mjs",
      'const a = { type: "a", run() {} }; const b = { type: "b", run() {} }; export default [a, b]; export { a }; export const other = 1;',
    );
    expect((await loadTasks(path)).map((task) => task.type)).toEqual(["a", "b"]);
  });

  it("that can't be used say why", async () => {
    const empty = await file("empty.mjs", "export const nothing = 1;");
    await expect(loadTasks(empty)).rejects.toThrow(/exports no task/);
    await expect(loadTasks(join(folder, "none.mjs"))).rejects.toThrow(/can't load/);
  });
});
