import type { Scheduler, TaskView } from "@giveway/engine";
import { describe, expect, it } from "vitest";
import { BulkRuns } from "../src/bulk/bulk-runs.ts";
import { coded, fakeScheduler, taskView } from "./support/fake-scheduler.ts";
import { send, serve } from "./support/serve.ts";

/** A ledger with so many dead tasks, newest first, that behaves as the scheduler's contract says. */
function ledger(count: number, hooks: { readonly onRedrive?: (ids: readonly string[]) => void } = {}) {
  const tasks = Array.from({ length: count }, (_, at) => ({
    id: `d${count - at}`,
    state: "dead" as TaskView["state"],
  }));
  const redriven: string[] = [];
  const options: unknown[] = [];
  const asked: string[] = [];
  const scheduler: Pick<Scheduler, "find" | "redrive"> = {
    async find({ cursor, limit = 50, state } = {}) {
      const from = cursor === undefined ? 0 : Number(cursor);
      const fitting = tasks.filter(
        (task, at) => at >= from && (state === undefined || [state].flat().includes(task.state)),
      );
      const page = fitting.slice(0, limit);
      const last = page.at(-1);
      const next = fitting.length > limit && last !== undefined ? String(tasks.indexOf(last) + 1) : null;
      return { items: page.map((task) => taskView(task)), nextCursor: next };
    },
    async redrive({ ids }, given = {}) {
      const matching = tasks.filter((task) => task.state === "dead" && (ids === undefined || ids.includes(task.id)));
      if (given.dryRun === true) {
        if (given.payload === "refused") throw coded("invalid_payload", "payload: refused", { field: "payload" });
        return { matched: matching.length, redriven: 0 };
      }
      hooks.onRedrive?.(matching.map(({ id }) => id));
      options.push(given);
      asked.push(...(ids ?? []));
      for (const task of matching) {
        task.state = "waiting";
        redriven.push(task.id);
      }
      return { matched: matching.length, redriven: matching.length };
    },
  };
  return { scheduler, redriven, options, asked, tasks };
}

async function ended(runs: BulkRuns, id: string) {
  while (runs.get(id).state === "running") await new Promise((resolve) => setImmediate(resolve));
  return runs.get(id);
}

const silent = () => undefined;
const redrive = { action: "redrive", filter: {}, rate: 100_000 } as const;

describe("bulk redrive", () => {
  it("counts first, then runs by itself and can be watched", async () => {
    const { scheduler, redriven } = ledger(250);
    const server = serve({ scheduler: fakeScheduler(scheduler) });
    const dry = await send(server, "POST", "/v1/bulk", { ...redrive, dryRun: true });
    expect(dry).toMatchObject({ status: 200, body: { action: "redrive", dryRun: true, matched: 250 } });
    expect(redriven).toEqual([]);
    const begun = await send(server, "POST", "/v1/bulk", redrive);
    expect(begun).toMatchObject({
      status: 202,
      body: { state: "running", matched: 250, redriven: 0, by: "local", endedAt: null },
    });
    const id = String(begun.body["id"]);
    expect(begun.headers["location"]).toBe(`/v1/bulk/${id}`);
    let run = await send(server, "GET", `/v1/bulk/${id}`);
    while (run.body["state"] === "running") {
      await new Promise((resolve) => setImmediate(resolve));
      run = await send(server, "GET", `/v1/bulk/${id}`);
    }
    expect(run.body).toMatchObject({ id, state: "done", matched: 250, redriven: 250, error: null });
    expect(run.body["endedAt"]).toEqual(expect.any(String));
    expect(redriven).toHaveLength(250);
    expect(new Set(redriven).size).toBe(250);
  });

  it("hands on payload, cause and who asked; a payload of null is one", async () => {
    const { scheduler, options } = ledger(1);
    const runs = new BulkRuns(scheduler, silent);
    const { id } = await runs.start({ ...redrive, payload: null, cause: "fixed" }, "anna");
    await ended(runs, id);
    expect(options).toEqual([{ rate: 100_000, by: "anna", payload: null, cause: "fixed" }]);
  });

  it("begins nothing with a payload that a type refuses", async () => {
    const { scheduler, redriven } = ledger(3);
    const server = serve({ scheduler: fakeScheduler(scheduler) });
    for (const dryRun of [true, false]) {
      const answer = await send(server, "POST", "/v1/bulk", { ...redrive, payload: "refused", dryRun });
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_payload", field: "payload" } });
    }
    expect(redriven).toEqual([]);
  });

  it("meets a task that dies again behind it only once", async () => {
    const { scheduler, redriven, tasks } = ledger(30, {
      onRedrive: () => {
        for (const task of tasks) task.state = "dead";
      },
    });
    const runs = new BulkRuns(scheduler, silent);
    const { id } = await runs.start({ ...redrive, rate: 10 * 10_000 }, "x");
    expect(await ended(runs, id)).toMatchObject({ state: "done", redriven: 30 });
    expect(redriven).toHaveLength(30);
  });

  it("takes only the ids given, and at most so many", async () => {
    const { scheduler, redriven } = ledger(20);
    const runs = new BulkRuns(scheduler, silent);
    const byId = await runs.start({ action: "redrive", ids: ["d3", "d7", "nope"], rate: 1000 }, "x");
    expect(byId.matched).toBe(2);
    await ended(runs, byId.id);
    expect(redriven.toSorted()).toEqual(["d3", "d7"]);
    const limited = await runs.start({ ...redrive, limit: 5 }, "x");
    expect(limited.matched).toBe(5);
    expect(await ended(runs, limited.id)).toMatchObject({ state: "done", redriven: 5 });
    expect(redriven).toHaveLength(7);
  });

  it("leaves alone what a state filter matches that is not dead", async () => {
    const { scheduler, redriven, asked, tasks } = ledger(4);
    tasks[1]!.state = "waiting";
    const runs = new BulkRuns(scheduler, silent);
    const { id } = await runs.start({ action: "redrive", filter: { state: ["dead", "waiting"] }, rate: 1000 }, "x");
    await ended(runs, id);
    expect(redriven).toEqual(["d4", "d2", "d1"]);
    expect(asked).toEqual(redriven);
  });

  it("keeps to the rate: pages no larger than a second's worth, and a pause after each", async () => {
    let now = 0;
    const at: number[] = [];
    const { scheduler } = ledger(6, { onRedrive: (ids) => at.push(now, ids.length) });
    const runs = new BulkRuns(scheduler, silent, () => now);
    const { id } = await runs.start({ ...redrive, rate: 2 }, "x");
    while (at.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(at).toEqual([0, 2]);
    expect(runs.get(id)).toMatchObject({ state: "running", redriven: 2 });
    now = 60_000;
    runs.stop();
    expect(await ended(runs, id)).toMatchObject({ state: "stopped", redriven: 2 });
  });

  it("says why it failed, and tells nothing of what is unexpected", async () => {
    for (const [thrown, told] of [
      [coded("payload_too_large", "payload: has 300 KiB"), "payload: has 300 KiB"],
      [new Error("secret"), "something unexpected went wrong; the server's log has it"],
    ] as const) {
      const { scheduler } = ledger(3, {
        onRedrive: () => {
          throw thrown;
        },
      });
      const heard: unknown[] = [];
      const runs = new BulkRuns(scheduler, (error, id) => heard.push(error, id));
      const { id } = await runs.start(redrive, "x");
      expect(await ended(runs, id)).toMatchObject({ state: "failed", redriven: 0, error: told });
      expect(heard).toEqual(thrown.message === "secret" ? [thrown, id] : []);
    }
  });

  it("bounds how many run at once and how many ended ones it knows", async () => {
    const { scheduler } = ledger(50);
    const runs = new BulkRuns(scheduler, silent, () => 0);
    const slow = { ...redrive, rate: 1 };
    const started = await Promise.all([1, 2, 3, 4].map(() => runs.start(slow, "x")));
    await expect(runs.start(slow, "x")).rejects.toMatchObject({ code: "too_many_requests" });
    runs.stop();
    for (const { id } of started) await ended(runs, id);
    const many = new BulkRuns(ledger(0).scheduler, silent);
    const ids: string[] = [];
    for (let at = 0; at < 105; at += 1) {
      const { id } = await many.start(redrive, "x");
      ids.push(id);
      await ended(many, id);
    }
    expect(() => many.get(ids[0]!)).toThrow(/^there is no bulk run/);
    expect(many.get(ids.at(-1)!).state).toBe("done");
  });

  it.each([
    [{ action: "redrive" }, "invalid_filter", "filter"],
    [{ action: "redrive", filter: {}, ids: ["a"] }, "invalid_filter", "ids"],
    [{ action: "redrive", filter: {}, rate: 0.0001 }, "invalid_option", "rate"],
    [{ action: "cancel", filter: {} }, "invalid_option", "action"],
    [{ action: "redrive", filter: { stat: "dead" } }, "invalid_option", "filter.stat"],
    [{ action: "redrive", filter: {}, rate: 0 }, "invalid_option", "rate"],
    [{ action: "redrive", ids: [] }, "invalid_id", "ids"],
  ])("%j is refused", async (body, code, field) => {
    const answer = await send(serve(), "POST", "/v1/bulk", body);
    expect(answer).toMatchObject({ status: 400, body: { code, field } });
  });

  it("knows no run that never was", async () => {
    expect(await send(serve(), "GET", "/v1/bulk/x")).toMatchObject({
      status: 404,
      body: { code: "not_found", subject: "x" },
    });
  });
});
