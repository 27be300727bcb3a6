import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Served, serve } from "./support/serve.ts";

const executablePath = process.env["GIVEWAY_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-sync",
  "--disable-component-update",
  "--disable-background-networking",
];

// Without a browser on the machine there is nothing to look with; continuous integration installs one.
describe.skipIf(!existsSync(executablePath))("the status page in a real browser", () => {
  let browser: Browser;
  let served: Served;
  beforeAll(async () => {
    [browser, served] = await Promise.all([
      chromium.launch({ executablePath, args: flags }),
      serve("memory", ["--demo"]),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.end("SIGKILL");
  });

  it("shows urgent work going ahead of ordinary work, live, without a complaint of the browser", async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(served.url);
    await page.getByText("dispatching").waitFor();
    await page.locator("#queues").getByText("notifications").first().waitFor();
    await page
      .locator("#ahead")
      .getByText(/ahead of \d+ ordinary/)
      .first()
      .waitFor({ timeout: 50_000 });
    await page.locator("#events").getByText("succeeded").first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("shows what tasks carry as text: no dialog, no foreign request, no script of theirs (V-45)", async () => {
    const script = `<img src=x onerror="alert(1)"><script>alert(2)</script>"'javascript:alert(3)`;
    const page = await browser.newPage();
    const dialogs: string[] = [];
    const foreign: string[] = [];
    page.on("dialog", async (dialog) => {
      dialogs.push(dialog.message());
      await dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(served.url)) foreign.push(request.url());
    });
    await page.goto(served.url);
    await page.getByText("dispatching").waitFor();
    for (let n = 0; n < 3; n += 1) {
      await served.client.submit({
        type: "sleep",
        payload: { ms: 3000 },
        id: `${script}${n}`,
        name: script,
        tags: [script],
      });
    }
    await page.locator("#slots").getByText("<script>").first().waitFor();
    await page.locator("#events").getByText("<script>").first().waitFor();
    expect(await page.locator("#slots script, #events script, #slots img, #events img").count()).toBe(0);
    for (const path of ["/docs", "/openapi.json", "/metrics"])
      expect((await page.goto(`${served.url}${path}`))?.status()).toBe(200);
    expect({ dialogs, foreign }).toEqual({ dialogs: [], foreign: [] });
    await page.close();
  });
});
