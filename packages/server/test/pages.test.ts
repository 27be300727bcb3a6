import { readFileSync } from "node:fs";
import { isErrorCode, type Operation, openApiDocument, operations } from "@giveway/api";
import { ERROR_CODES } from "@giveway/kernel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { docsPage } from "../src/pages/docs-page.ts";
import { html, marked } from "../src/pages/html.ts";
import { FakeDocument, FakeElement } from "./support/fake-dom.ts";
import { queueView } from "./support/fake-scheduler.ts";
import { send, serve } from "./support/serve.ts";

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert('2')</script>javascript:alert(3)&amp;`;
const asset = (name: string) => readFileSync(new URL(`../assets/${name}`, import.meta.url), "utf8");

describe("the pages", () => {
  it.each(["/", "/docs"])("%s works under its strict policy: nothing inline, nothing from elsewhere", async (url) => {
    const page = await send(serve(), "GET", url);
    expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page.text).not.toMatch(/<style|style="|\son\w+=|javascript:|<base|<iframe|https?:\/\//i);
    for (const [, attributes, body] of page.text.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)) {
      expect(attributes).toContain("src=");
      expect(body).toBe("");
    }
  });

  it.each(["/", "/docs"])("%s loads only files that are there", async (url) => {
    const server = serve();
    const page = await send(server, "GET", url);
    const files = [...page.text.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const answer = await send(server, "GET", `/${file}`);
      expect(answer.status).toBe(200);
      expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  it("the scripts load only each other, and never touch markup", async () => {
    const server = serve();
    for (const name of ["status.js", "server.js", "elements.js"]) {
      const script = await send(server, "GET", `/assets/${name}`);
      expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
      expect(script.text).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\.href|\.src\b/,
      );
      for (const [, file] of script.text.matchAll(/from "\.\/([^"]+)"/g)) {
        expect(await send(server, "GET", `/assets/${file}`)).toMatchObject({ status: 200 });
      }
    }
  });

  it.each(["..%2Fpackage.json", "..%2Fsrc%2Findex.ts", "%2e%2e%2fpackage.json", "status.html", "constructor", "x"])(
    "there is no file %s",
    async (file) => {
      expect(await send(serve(), "GET", `/assets/${file}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
    },
  );
});

describe("the documentation", () => {
  const page = docsPage(openApiDocument());

  it("has every call, every schema and every error, and leads nowhere else", () => {
    for (const [id, { path }] of Object.entries<Operation>(operations)) {
      expect(page).toContain(`<article id="${id}">`);
      expect(page).toContain(`<code>${path}</code>`);
    }
    const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
    expect(ids.size).toBe([...page.matchAll(/\sid="/g)].length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    for (const code of Object.keys(ERROR_CODES)) expect(ids).toContain(`error-${code}`);
  });

  it("is where the type of a problem leads", async () => {
    const { body } = await send(serve(), "GET", "/v1/tasks/nope");
    expect(isErrorCode(body["code"])).toBe(true);
    expect(page).toContain(`id="${String(body["type"]).replace("/docs#", "")}"`);
  });

  it("closes what it opens", () => {
    const open: string[] = [];
    for (const [, slash, tag] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (["meta", "link", "br"].includes(tag!)) continue;
      if (slash === "") open.push(tag!);
      else expect(open.pop()).toBe(tag);
    }
    expect(open).toEqual([]);
  });
});

describe("html", () => {
  it("takes every inserted value as text (V-45)", () => {
    expect(html`<p title="${HOSTILE}">${[HOSTILE, 7, html`<b>${"'&"}</b>`]}</p>`.text).toBe(
      `<p title="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;alert(&#39;2&#39;)&lt;/script&gt;javascript:alert(3)&amp;amp;">` +
        `&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;alert(&#39;2&#39;)&lt;/script&gt;javascript:alert(3)&amp;amp;7<b>&#39;&amp;</b></p>`,
    );
    expect(html`${marked("see `<a>` & more")}`.text).toBe("see <code>&lt;a&gt;</code> &amp; more");
  });
});

describe("the status page", () => {
  const hostileTask = { id: HOSTILE, task: HOSTILE, type: HOSTILE, name: HOSTILE, queue: HOSTILE };
  let document: FakeDocument;
  let answers: Record<string, unknown>;
  let asked: string[];

  beforeEach(() => {
    document = new FakeDocument(asset("status.html"));
    asked = [];
    answers = {
      readyz: { ready: true, reasons: [] },
      "v1/queues": {
        items: [
          queueView({
            name: HOSTILE,
            paused: true,
            depth: { waiting: 21, delayed: 1, running: 2, express: 1, standard: 20, byWeight: { 5: 20, 9: 1 } },
            oldestWaiting: { express: 3, standard: 4200 },
          }),
        ],
      },
      "v1/slots": {
        items: [
          {
            ...hostileTask,
            kind: "base",
            weight: 9,
            attempt: 1,
            startedAt: "2026-01-01T00:00:00.000Z",
            settling: false,
          },
          {
            ...hostileTask,
            kind: "burst",
            weight: 5,
            attempt: 2,
            startedAt: "2026-01-01T00:00:00.000Z",
            settling: true,
          },
        ],
      },
      "v1/stats": {
        backlog: 21,
        delayed: 1,
        running: 2,
        succeeded: 1234567,
        dead: 0,
        failed: 3,
        successRate: 0.9876,
        failureRate: 0.0124,
        meanWait: 12.4,
        meanRun: 61_000,
        meanScheduleDelay: null,
      },
    };
    answers[`v1/queues/${encodeURIComponent(HOSTILE)}/next?limit=6`] = {
      items: [{ ...hostileTask, position: 1, weight: 4, effectiveWeight: 6, lane: "standard" }],
    };
    answers["v1/events?recent=40"] = [
      {
        n: 1,
        at: "2026-01-01T00:00:00.000Z",
        kind: "failed",
        ...hostileTask,
        weight: 5,
        attempt: 1,
        data: { error: { message: HOSTILE } },
      },
      {
        n: 2,
        at: "2026-01-01T00:00:01.000Z",
        kind: "started",
        ...hostileTask,
        weight: 9,
        attempt: 1,
        data: { wait: 2 },
      },
      {
        n: 3,
        at: "2026-01-01T00:00:02.000Z",
        kind: "queue_changed",
        ...hostileTask,
        task: null,
        weight: null,
        attempt: null,
        data: {},
      },
    ];
  });

  let isDone = false;
  let push: (text: string) => void = () => {};
  afterEach(() => {
    isDone = true;
  });

  /** Runs the page; its timers fire at once, until the test is over. */
  async function start(): Promise<void> {
    isDone = false;
    vi.resetModules();
    vi.stubGlobal("document", document);
    vi.stubGlobal("HTMLInputElement", FakeElement);
    const kept = new Map<string, string>();
    vi.stubGlobal("sessionStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    });
    vi.stubGlobal("setTimeout", (callback: () => void) => {
      if (!isDone) setImmediate(callback);
    });
    vi.stubGlobal("fetch", async (path: string, init?: { headers?: Record<string, string> }) => {
      asked.push(`${path} ${init?.headers?.["authorization"] ?? "-"}`);
      const answer = answers[path];
      if (Array.isArray(answer)) return stream(answer);
      if (answer instanceof Response) return answer.clone();
      return Response.json(answer ?? { detail: "nothing there" }, { status: answer === undefined ? 404 : 200 });
    });
    await import(new URL("../assets/status.js", import.meta.url).href);
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  }

  const frame = (event: unknown) => `id: n.1\ndata: ${JSON.stringify(event)}\n\n`;
  const stream = (events: readonly unknown[]) =>
    new Response(
      new ReadableStream({
        start(controller) {
          push = (text) => controller.enqueue(new TextEncoder().encode(text));
          push(`retry: 1\n\nevent: gap\ndata: {"missed":7}\n\n${events.map(frame).join("")}`);
        },
      }),
    );

  const part = (id: string) => document.byId.get(id)!;
  const isFull = () => part("events").children.length >= 4 && part("queues").textContent.includes("+2");

  it("shows queues with lanes, running slots and events, whatever they are called (V-45)", async () => {
    await start();
    await until(isFull);
    const all = [...document.byId.values()].flatMap((element) => element.all());
    expect(new Set(all.map(({ tag }) => tag)).has("script")).toBe(false);
    expect(all.filter(({ tag }) => tag === "img" || tag === "a")).toEqual([]);
    for (const id of ["queues", "slots", "events", "ahead"]) expect(part(id).textContent).toContain(HOSTILE);
    expect(part("main").hidden).toBe(false);
    expect(part("health").textContent).toBe("dispatching");
  });

  it("shows urgent work going ahead of ordinary work", async () => {
    await start();
    await until(isFull);
    const queue = part("queues").textContent;
    expect(queue).toContain("express up to 2 of 4 slots while ordinary work waits · 4 burst");
    expect(queue).toContain("express1 waiting, first for 3 ms");
    expect(queue).toContain("ordinary20 waiting, first for 4.2 s");
    expect(queue).toContain("starvation bounds held");
    const slots = part("queues")
      .all()
      .filter(({ className }) => className.startsWith("slot "));
    expect(slots.map(({ className }) => className)).toEqual([
      "slot base express",
      "slot base",
      "slot base",
      "slot base",
      "slot burst standard",
      "slot burst",
      "slot burst",
      "slot burst",
    ]);
    const lines = part("events").children.map((line) => (typeof line === "string" ? line : line.textContent));
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain("queue changed");
    expect(lines[1]).toMatch(/9started .* ahead of 20 ordinary waited 2 ms$/);
    expect(lines[3]).toBe("7 events were missed");
    const ahead = part("ahead").children;
    expect(ahead).toHaveLength(1);
    expect(part("ahead").textContent).toMatch(
      / started after 2 ms ahead of 20 ordinary in .*, of which the first has waited 4\.2 s$/,
    );
    expect(part("figures").textContent).toContain("succeeded1,234,567");
    expect(part("figures").textContent).toContain("success98.8 %");
    expect(part("figures").textContent).toContain("mean run1 min 1 s");
  });

  it("says what is wrong: bounds broken, a node that does not dispatch", async () => {
    answers["readyz"] = new Response(JSON.stringify({ ready: false, reasons: ["the ledger is full"] }), {
      status: 503,
    });
    answers["v1/queues"] = { items: [queueView({ bounds: { order: { breaches: 2 }, share: { breaches: 1 } } })] };
    await start();
    await until(() => part("queues").textContent.includes("3 breaches"));
    expect(part("health").textContent).toBe("not dispatching: the ledger is full");
    expect(part("health").className).toBe("pill bad");
    expect(
      part("queues")
        .all()
        .some(({ className }) => className === "alert"),
    ).toBe(true);
  });

  it("asks for a token where one is needed, and sends it from then on", async () => {
    const { "v1/stats": stats } = answers;
    answers["v1/stats"] = new Response("{}", { status: 401 });
    await start();
    await until(() => part("main").hidden && asked.filter((one) => one === "v1/stats -").length > 1);
    expect(part("sign-in").hidden).toBe(false);
    part("token").value = "s3cret";
    let isPrevented = false;
    part("sign-in").listeners.get("submit")?.({
      preventDefault: () => {
        isPrevented = true;
      },
    });
    expect(isPrevented).toBe(true);
    expect(part("token").value).toBe("");
    answers["v1/stats"] = stats;
    await until(() => !part("main").hidden && asked.includes("v1/events?recent=40 Bearer s3cret"));
    expect(asked).toContain("v1/stats Bearer s3cret");
    expect(part("sign-in").hidden).toBe(true);
  });

  it("holds events back while paused, and shows them afterwards", async () => {
    await start();
    await until(isFull);
    const pause = () => part("pause").listeners.get("click")?.({ preventDefault: () => undefined });
    const before = part("events").children.length;
    pause();
    expect(part("pause").textContent).toBe("Go on");
    push(frame({ at: "2026-01-01T00:00:03.000Z", kind: "dead", task: "late", type: "t", weight: 5, data: {} }));
    const turns = asked.length;
    await until(() => asked.length > turns + 20);
    expect(part("events").children).toHaveLength(before);
    pause();
    expect(part("pause").textContent).toBe("Pause");
    expect(part("events").children).toHaveLength(before + 1);
    expect(part("events").textContent).toContain("dead t late");
  });
});
