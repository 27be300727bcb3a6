import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Operation, operations, ROLES } from "@giveway/api";
import { describe, expect, it } from "vitest";
import { createServer, parseTokens, tokensFromEnv } from "../src/index.ts";
import { fakeScheduler } from "./support/fake-scheduler.ts";
import { send, serve } from "./support/serve.ts";

const TOKENS = parseTokens("viewer:v-token, operator/anna:o-token\nadmin:a-token", "test");
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Every call with a path and body that go through. */
const calls = Object.entries<Operation>(operations)
  .filter(([id]) => id !== "streamEvents")
  .map(([id, operation]) => {
    const url = operation.path
      .replace("{file}", "page.css")
      .replace("{type}", "echo")
      .replace(/\{\w+\}/, "t1");
    const bodies: Record<string, unknown> = {
      submitTask: { type: "echo" },
      submitBatch: [{ type: "echo" }],
      editTask: { weight: 3 },
      startBulk: { action: "redrive", filter: {}, dryRun: true },
      setQueue: { paused: true },
      setType: { paused: true },
    };
    return { id, method: operation.method, url, access: operation.access, body: bodies[id] };
  });

describe("tokens", () => {
  it.each(calls)(
    "$method $url is closed without a good token and open from its role on",
    async ({ method, url, access, body, id }) => {
      const scheduler = fakeScheduler();
      const server = serve({ scheduler, tokens: TOKENS });
      const bad: Record<string, string>[] = [
        {},
        { authorization: "" },
        { authorization: "Bearer" },
        { authorization: "Bearer " },
        { authorization: "v-token" },
        { authorization: "Basic dmlld2VyOnYtdG9rZW4=" },
        bearer("secret"),
        bearer("v-token2"),
        bearer("V-TOKEN"),
        bearer("viewer:v-token"),
      ];
      for (const headers of bad) {
        const answer = await send(server, method, url, body, headers);
        if (access === "open") expect(answer.status).toBe(200);
        else {
          expect(answer).toMatchObject({ status: 401, body: { code: "unauthorized" } });
          expect(answer.headers["www-authenticate"]).toBe('Bearer realm="giveway"');
        }
      }
      if (access === "open") return;
      expect(scheduler.calls).toEqual([]);
      for (const [role, token] of [
        ["viewer", "v-token"],
        ["operator", "o-token"],
        ["admin", "a-token"],
      ] as const) {
        const answer = await send(server, method, url, body, bearer(token));
        const reaches = ROLES.indexOf(role) >= ROLES.indexOf(access);
        // There is no bulk run to ask for.
        const good = id === "getBulk" ? 404 : [200, 201, 202, 204];
        if (reaches) expect([good].flat()).toContain(answer.status);
        else expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
      }
    },
  );

  it("close the event stream and unknown paths as well", async () => {
    const server = serve({ tokens: TOKENS });
    for (const url of ["/v1/events", "/nothing", "//v1/tasks", "/v1/tasks/../tasks", "/V1/TASKS"]) {
      expect(await send(server, "GET", url)).toMatchObject({ status: 401 });
    }
    expect(await send(server, "PUT", "/v1/tasks")).toMatchObject({ status: 401 });
    expect(await send(server, "GET", "/nothing", undefined, bearer("v-token"))).toMatchObject({ status: 404 });
  });

  it("name who made a change: by name where the token has one, else by role", async () => {
    const scheduler = fakeScheduler();
    const server = serve({ scheduler, tokens: TOKENS });
    await send(server, "POST", "/v1/tasks/t1/cancel", undefined, bearer("o-token"));
    await send(server, "POST", "/v1/tasks/t1/cancel", undefined, bearer("a-token"));
    expect(scheduler.calls.map(({ args }) => args[1])).toEqual([{ by: "anna" }, { by: "admin" }]);
  });

  it.each(["viewer", "root:x", "viewer:", ":x", "viewer:a b", "viewer/:x", "viewer:ä", "Viewer:x"])(
    "%j is refused without being repeated",
    (text) => {
      expect(() => parseTokens(`admin:fine,${text}`, "GIVEWAY_TOKENS")).toThrow(
        /^GIVEWAY_TOKENS, entry 2: expected role:token, with one of the roles viewer, operator, admin$/,
      );
    },
  );

  it("come from the environment, a file, or both", () => {
    const folder = mkdtempSync(join(tmpdir(), "giveway-tokens-"));
    try {
      const path = join(folder, "tokens");
      writeFileSync(path, "# who may what\n\nadmin/root:from:file\r\nviewer:v1,viewer:v2\n");
      const inFile = [
        { role: "admin", token: "from:file", name: "root" },
        { role: "viewer", token: "v1" },
        { role: "viewer", token: "v2" },
      ];
      expect(tokensFromEnv({})).toEqual([]);
      expect(tokensFromEnv({ GIVEWAY_TOKENS: "" })).toEqual([]);
      expect(tokensFromEnv({ GIVEWAY_TOKENS: "viewer:x" })).toEqual([{ role: "viewer", token: "x" }]);
      expect(tokensFromEnv({ GIVEWAY_TOKENS_FILE: path })).toEqual(inFile);
      expect(tokensFromEnv({ GIVEWAY_TOKENS: "viewer:x", GIVEWAY_TOKENS_FILE: path })).toHaveLength(4);
      writeFileSync(path, "# nobody yet\n");
      expect(() => tokensFromEnv({ GIVEWAY_TOKENS_FILE: path })).toThrow(/holds no token$/);
      expect(() => tokensFromEnv({ GIVEWAY_TOKENS_FILE: join(folder, "no") })).toThrow(/can't read .*no \(ENOENT\)$/);
      expect(() => parseTokens("viewer:x,admin:x", "GIVEWAY_TOKENS")).toThrow(/twice$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("without tokens", () => {
  it.each([
    "0.0.0.0",
    "::",
    "192.168.1.5",
    "example.com",
    "127.0.0.1.example.com",
    "localhost.example",
    "1270.0.0.1",
    "",
  ])("the address %j is refused", (host) => {
    expect(() => createServer({ scheduler: fakeScheduler(), host })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        field: "host",
        message: expect.stringContaining("GIVEWAY_TOKENS"),
      }),
    );
  });

  it.each(["127.0.0.1", "127.8.9.1", "localhost", "::1"])("the address %s is fine", (host) => {
    expect(() => serve({ host })).not.toThrow();
  });

  it("any address is fine with tokens", () => {
    expect(() => serve({ host: "0.0.0.0", tokens: TOKENS })).not.toThrow();
  });

  it.each([
    ["localhost", 200],
    ["localhost:7700", 200],
    ["LOCALHOST:1", 200],
    ["127.0.0.1:7700", 200],
    ["[::1]:7700", 200],
    ["shop.localhost", 200],
    ["internal.example:7700", 200],
    ["evil.example", 403],
    ["evil.example:7700", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1@evil.example", 403],
    ["evil127.0.0.1", 403],
    ["0.0.0.0:7700", 403],
  ])("a Host of %j is answered with %i (DNS rebinding)", async (host, status) => {
    const server = serve({ allowedHosts: ["internal.example"] });
    for (const url of ["/v1/stats", "/", "/livez"]) {
      expect((await send(server, "GET", url, undefined, { host })).status).toBe(status);
    }
  });

  it("any Host will do with tokens", async () => {
    const answer = await send(serve({ tokens: TOKENS }), "GET", "/v1/stats", undefined, {
      host: "ops.example",
      ...bearer("v-token"),
    });
    expect(answer.status).toBe(200);
  });
});

describe("pages of other sites", () => {
  const body = { type: "echo" };
  it.each<[Record<string, string>, number]>([
    [{}, 201],
    [{ "sec-fetch-site": "same-origin" }, 201],
    [{ "sec-fetch-site": "none" }, 201],
    [{ "sec-fetch-site": "same-site" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "cross-site", origin: "http://localhost:7700" }, 403],
    [{ origin: "http://localhost:7700" }, 201],
    [{ origin: "http://localhost:3000" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "https://ops.example" }, 201],
    [{ "sec-fetch-site": "cross-site", origin: "https://ops.example" }, 201],
    [{ origin: "https://ops.example.evil" }, 403],
  ])("a change with %j is answered with %i", async (headers, status) => {
    const scheduler = fakeScheduler();
    const server = serve({ scheduler, corsOrigins: ["https://ops.example"] });
    const answer = await send(server, "POST", "/v1/tasks", body, { host: "localhost:7700", ...headers });
    expect(answer.status).toBe(status);
    expect(scheduler.calls).toHaveLength(status === 201 ? 1 : 0);
  });

  it("may read nothing unless they are listed", async () => {
    const origin = { origin: "https://ops.example" };
    const closed = await send(serve(), "GET", "/v1/stats", undefined, origin);
    expect(Object.keys(closed.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    const server = serve({ corsOrigins: ["https://ops.example"] });
    expect((await send(server, "GET", "/v1/stats", undefined, origin)).headers).toMatchObject({
      "access-control-allow-origin": "https://ops.example",
      vary: "Origin",
    });
    const other = await send(server, "GET", "/v1/stats", undefined, { origin: "https://evil.example" });
    expect(other.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("are answered before they ask, where they are listed", async () => {
    const server = serve({ corsOrigins: ["https://ops.example"], tokens: TOKENS });
    const ask = (origin: string) =>
      send(server, "OPTIONS", "/v1/tasks/t1", undefined, { origin, "access-control-request-method": "PATCH" });
    const good = await ask("https://ops.example");
    expect(good).toMatchObject({
      status: 204,
      headers: { "access-control-allow-methods": "GET, POST, PATCH, DELETE" },
    });
    expect((await ask("https://evil.example")).status).toBe(401);
  });

  it.each(["*", "ops.example", "https://ops.example/", "https://ops.example/x"])(
    "the origin %s is refused",
    (origin) => {
      expect(() => createServer({ scheduler: fakeScheduler(), corsOrigins: [origin] })).toThrow(
        /^corsOrigins: expected/,
      );
    },
  );
});

describe("headers", () => {
  it.each(["/v1/stats", "/v1/tasks/nope", "/nothing", "/livez", "/metrics", "/openapi.json", "/v1/tasks/%"])(
    "%s is data: never rendered, framed, sniffed or kept",
    async (url) => {
      expect((await send(serve(), "GET", url)).headers).toMatchObject({
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
    },
  );
});

describe("options", () => {
  it.each([
    [{ port: -1 }, "port"],
    [{ port: 70_000 }, "port"],
    [{ bodyLimit: 0 }, "bodyLimit"],
    [{ bodyLimit: 1.5 }, "bodyLimit"],
    [{ events: { keep: 0 } }, "events.keep"],
    [{ timeouts: { request: Number.NaN } }, "timeouts.request"],
  ])("%j is refused by name", (options, field) => {
    expect(() => createServer({ scheduler: fakeScheduler(), ...options })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        field,
        message: expect.stringContaining(`${field}: expected a whole`),
      }),
    );
  });
});
