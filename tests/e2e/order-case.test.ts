import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Served, serve } from "./support/serve.ts";
import { fileAppears } from "./support/wait.ts";

const tasks = join(import.meta.dirname, "fixtures", "order-tasks.mjs");

let folder: string;
let served: Served | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "giveway-orders-"));
});
afterEach(async () => {
  await served?.end("SIGKILL");
  served = null;
  await rm(folder, { recursive: true, force: true });
});

async function shop(): Promise<Served> {
  served = await serve(`sqlite:${join(folder, "orders.db")}`, ["--tasks", tasks], { ORDER_BOOKS: folder });
  return served;
}

const journal = async (): Promise<readonly string[]> =>
  (await readFile(join(folder, "journal"), "utf8")).trim().split("\n");

async function ended(id: string) {
  for await (const item of (served as Served).client.events({ recent: 1000 })) {
    if (item.kind === "event" && item.event.task !== id) continue;
    const { task } = await (served as Served).client.get(id);
    if (task.endedAt !== null) return task;
  }
  throw new Error("the event stream ended");
}

async function endedNow(id: string) {
  const { task } = await (served as Served).client.get(id);
  return task.endedAt === null ? ended(id) : task;
}

describe("the order case (C13): unpaid orders are closed once in effect", () => {
  it("closes an unpaid order after its delay, leaves a paid one, and takes a double submit as one", async () => {
    const { client } = await shop();
    await writeFile(join(folder, "paid-2"), "");
    for (const orderId of [1, 2]) {
      const first = await client.submit({ type: "close_order", payload: { orderId }, delay: "300ms" });
      const second = await client.submit({ type: "close_order", payload: { orderId }, delay: "300ms" });
      expect([first.created, second.created]).toEqual([true, false]);
    }
    const [one, two] = await Promise.all([endedNow("close-1"), endedNow("close-2")]);
    expect(one).toMatchObject({ state: "succeeded", result: { closed: true }, attempt: 1 });
    expect(two).toMatchObject({ state: "succeeded", result: { closed: false }, attempt: 1 });
    expect(Date.parse(one.startedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(one.dueAt));
    const again = await client.submit({ type: "close_order", payload: { orderId: 1 } });
    expect(again).toMatchObject({ created: false, task: { state: "succeeded" } });
    expect((await journal()).filter((line) => line === "released 1")).toHaveLength(1);
    expect((await journal()).some((line) => line === "released 2")).toBe(false);
  });

  it("survives SIGKILL between the effect and its record", async () => {
    const { client, end } = await shop();
    await client.submit({ type: "close_order", payload: { orderId: 3, trouble: "crash" }, delay: "100ms" });
    await fileAppears(folder, "crash-now-3");
    await end("SIGKILL");
    await shop();
    const task = await endedNow("close-3");
    expect(task).toMatchObject({ state: "succeeded", attempt: 2, result: { closed: true } });
    const lines = await journal();
    expect(lines.filter((line) => line === "released 3")).toHaveLength(1);
    const requests = lines.flatMap((line) => /^attempt \d of 3 by (\S+)$/.exec(line)?.[1] ?? []);
    expect(requests).toHaveLength(2);
    expect(new Set(requests).size).toBe(1);
    const { attempts } = await (served as Served).client.history("close-3");
    expect(attempts.map((attempt) => attempt.outcome)).toEqual(["lost", "succeeded"]);
  });

  it("survives a time-out of the first attempt", async () => {
    const { client } = await shop();
    await client.submit({ type: "close_order", payload: { orderId: 4, trouble: "timeout" } });
    expect(await endedNow("close-4")).toMatchObject({ state: "succeeded", attempt: 2 });
    const { attempts } = await client.history("close-4");
    expect(attempts.map((attempt) => attempt.outcome)).toEqual(["timed_out", "succeeded"]);
    expect((await journal()).filter((line) => line === "released 4")).toHaveLength(1);
  });
});
