import { queueName, type TaskKey, type TaskRecord, typeName, VIEW_STATES, type ViewState } from "@giveway/kernel";
import { expect } from "vitest";
import type { FindQuery } from "../task-store.ts";
import { lanesOf, newTask, openTypes, T0 } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";
import type { Subject } from "./support/subject.ts";

export function findSuite(harness: Harness): void {
  filters(harness);
  views(harness);
  paging(harness);
  text(harness);
}

async function found(s: Subject, query: Partial<FindQuery>): Promise<string[]> {
  return (await s.store.find({ limit: 100, now: s.now, ...query })).tasks.map(({ id }) => id);
}

function filters({ test }: Harness): void {
  const [mail, other] = [typeName("mail"), queueName("other")];
  async function filled(s: Subject): Promise<void> {
    await s.insert(newTask("a"), newTask("b", { type: mail, weight: 9, overrides: { tags: ["red", "blue"] } }));
    s.now += 100;
    await s.insert(
      newTask("c", { queue: other, weight: 1, overrides: { tags: ["red"] }, dueAt: s.now }),
      newTask("d", { queue: other, type: mail, dueAt: s.now }),
    );
  }

  test("newest first, all of them, with full rows", async (s) => {
    await filled(s);
    const page = await s.store.find({ limit: 100, now: s.now });
    expect(page.tasks).toEqual([await s.get("d"), await s.get("c"), await s.get("b"), await s.get("a")]);
    expect(page.next).toBeNull();
  });

  const cases: Record<string, readonly [Partial<FindQuery>, readonly string[]]> = {
    "by type": [{ types: [mail] }, ["d", "b"]],
    "by queue": [{ queues: [other] }, ["d", "c"]],
    "by weight": [{ weights: [9, 1] }, ["c", "b"]],
    "by tag": [{ tags: ["red"] }, ["c", "b"]],
    "by any of several tags": [{ tags: ["blue", "green"] }, ["b"]],
    "a tag is compared whole": [{ tags: ["re", "RED", "red,blue", ""] }, []],
    "by creation, from inclusive": [{ createdFrom: T0 + 100 }, ["d", "c"]],
    "by creation, to exclusive": [{ createdTo: T0 + 100 }, ["b", "a"]],
    "by creation, both": [{ createdFrom: T0, createdTo: T0 + 1 }, ["b", "a"]],
    "all together": [{ types: [mail], queues: [other], states: ["waiting"], weights: [5], createdFrom: T0 + 1 }, ["d"]],
    "several values of one": [{ types: [mail, typeName("work")], queues: [other] }, ["d", "c"]],
    "nothing known": [{ types: [typeName("nothing")] }, []],
    "an empty list matches nothing": [{ types: [] }, []],
    "so for each": [{ queues: [] }, []],
    "and states": [{ states: [] }, []],
    "and weights": [{ weights: [] }, []],
    "and tags": [{ tags: [] }, []],
  };
  for (const [title, [query, ids]] of Object.entries(cases)) {
    test(`filter: ${title}`, async (s) => {
      await filled(s);
      expect(await found(s, query)).toEqual(ids);
    });
  }
}

function views({ test }: Harness): void {
  async function prepared(s: Subject): Promise<void> {
    const kinds = ["succeeds", "dies", "times out", "retries later", "retries now", "runs", "is dispatched"];
    await s.insert(...kinds.map((id) => newTask(id, { type: typeName(id) })));
    await s.insert(newTask("waits"), newTask("delayed", { dueAt: T0 + 60_000 }), newTask("due", { dueAt: T0 + 5 }));
    const take = async (id: string, direct = true) =>
      (await s.claim({ types: openTypes(id), lanes: lanesOf({ standard: 1 }, { standard: direct ? 1 : 0 }) })).tasks[0];
    const taken = new Map<string, NonNullable<Awaited<ReturnType<typeof take>>>>();
    for (const id of kinds) {
      const task = await take(id, id !== "is dispatched");
      if (task !== undefined) taken.set(id, task);
    }
    const held = (id: string) => taken.get(id) as NonNullable<ReturnType<typeof taken.get>>;
    await s.succeed(held("succeeds"));
    await s.fail(held("dies"), null);
    await s.fail(held("retries later"), 60_000);
    await s.fail(held("retries now"), 0);
    const { key, fence } = held("times out");
    const settlement = { ...timedOut(held("times out").dueAt), failures: 1 };
    await s.store.settle([{ key, fence, settlement }], s.now);
    await s.insert(newTask("cancelled"));
    await s.cancel("cancelled");
    s.now += 5;
  }

  const expected: Record<ViewState, readonly string[]> = {
    waiting: ["due", "delayed", "waits", "retries now", "retries later", "times out"],
    delayed: ["delayed", "retries later"],
    retrying: ["retries now", "retries later", "times out"],
    dispatched: ["is dispatched"],
    running: ["is dispatched", "runs"],
    suspended: [],
    succeeded: ["succeeds"],
    failed: ["retries now", "retries later", "dies"],
    timed_out: ["times out"],
    dead: ["dies"],
    cancelled: ["cancelled"],
  };
  for (const view of VIEW_STATES) {
    test(`view: ${view}`, async (s) => {
      await prepared(s);
      expect(await found(s, { states: [view] })).toEqual(expected[view]);
    });
  }

  test("several views together", async (s) => {
    await prepared(s);
    expect(await found(s, { states: ["succeeded", "dispatched", "delayed"] })).toEqual([
      "delayed",
      "is dispatched",
      "retries later",
      "succeeds",
    ]);
  });

  test("a view follows the query's now, whether a claim has moved the task or not", async (s) => {
    await prepared(s);
    expect(await found(s, { states: ["delayed"], now: T0 + 4 })).toEqual(["due", "delayed", "retries later"]);
    expect(await found(s, { states: ["delayed"], now: T0 + 60_000 })).toEqual([]);
  });
}

function timedOut(dueAt: number) {
  return {
    event: "retry",
    state: "waiting",
    outcome: "timed_out",
    attempt: 1,
    losses: 0,
    noPrefetch: false,
    dueAt,
    place: "anew",
    startedAt: T0,
    endedAt: T0,
    error: { name: "TimeoutError", message: "took too long" },
    endReason: null,
    result: null,
    checkpoint: null,
    log: [],
  } as const;
}

function paging({ test }: Harness): void {
  const pageOf = (s: Subject, limit: number, after?: TaskKey) =>
    s.store.find({ limit, now: s.now, ...(after === undefined ? {} : { after }) });

  test("pages join without gap or repeat, and the last one says so", async (s) => {
    const ids = Array.from({ length: 25 }, (_, n) => `t${n}`);
    await s.ready(...ids);
    const seen: string[] = [];
    const sizes: number[] = [];
    let after: TaskKey | undefined;
    for (;;) {
      const page = await pageOf(s, 10, after);
      seen.push(...page.tasks.map(({ id }) => id));
      sizes.push(page.tasks.length);
      if (page.next === null) break;
      expect(page.next).toBe((page.tasks.at(-1) as TaskRecord).key);
      after = page.next;
    }
    expect(seen).toEqual([...ids].reverse());
    expect(sizes).toEqual([10, 10, 5]);
  });

  test("a full last page has no next", async (s) => {
    await s.ready("a", "b");
    expect((await pageOf(s, 2)).next).toBeNull();
    expect((await pageOf(s, 1)).next).not.toBeNull();
  });

  test("inserts, ends and removals between pages repeat nothing and hide nothing", async (s) => {
    await s.ready(...Array.from({ length: 10 }, (_, n) => `t${n}`));
    const first = await pageOf(s, 4);
    expect(first.tasks.map(({ id }) => id)).toEqual(["t9", "t8", "t7", "t6"]);
    await s.ready("new1", "new2");
    await s.remove("t6");
    await s.cancel("t5");
    const second = await pageOf(s, 4, first.next ?? undefined);
    expect(second.tasks.map(({ id }) => id)).toEqual(["t5", "t4", "t3", "t2"]);
    const third = await pageOf(s, 4, second.next ?? undefined);
    expect(third.tasks.map(({ id }) => id)).toEqual(["t1", "t0"]);
  });

  test("with a filter, too", async (s) => {
    await s.insert(...Array.from({ length: 40 }, (_, n) => newTask(`t${n}`, { weight: n % 4 === 0 ? 9 : 5 })));
    const first = await s.store.find({ limit: 6, now: s.now, weights: [9] });
    expect(first.tasks.map(({ id }) => id)).toEqual(["t36", "t32", "t28", "t24", "t20", "t16"]);
    const second = await s.store.find({ limit: 6, now: s.now, weights: [9], after: first.next as TaskKey });
    expect(second.tasks.map(({ id }) => id)).toEqual(["t12", "t8", "t4", "t0"]);
    expect(second.next).toBeNull();
  });
}

function text({ test }: Harness): void {
  test("is looked for in id, name, payload and last error", async (s) => {
    await s.insert(
      newTask("needle-id"),
      newTask("n", { name: "has a Needle in it" }),
      newTask("p", { payload: '{"what":["NEEDLE"]}' }),
      newTask("none", { name: "nothing" }),
    );
    await s.ready("e");
    const { tasks } = await s.claim();
    const task = tasks.find(({ id }) => id === "e");
    for (const other of tasks) if (other !== task) await s.succeed(other);
    if (task !== undefined) await s.fail(task, null);
    expect(await found(s, { text: "needle" })).toEqual(["p", "n", "needle-id"]);
    expect(await found(s, { text: "NeEdLe", states: ["succeeded"] })).toEqual(["p", "n", "needle-id"]);
    expect(await found(s, { text: "IT BROKE" })).toEqual(["e"]);
    expect(await found(s, { text: "ebroken" })).toEqual(["e"]);
    expect(await found(s, { text: "" })).toHaveLength(5);
    expect(await found(s, { text: "retryable" })).toEqual([]);
  });

  const literal = ["50%", "a_b", "it's", '"quoted"', "\\", "%_%", "[a-z]", "*", "?", "--", ";", "$1", "🚚", "ü"];
  test("is taken literally, whatever characters it has", async (s) => {
    await s.insert(
      ...literal.map((part, n) => newTask(`t${n}`, { name: `before ${part} after`, payload: "0" })),
      newTask("plain", { name: "50 aXb its quoted", payload: "0" }),
    );
    for (const [n, part] of literal.entries()) {
      const ids = await found(s, { text: part });
      const holds = literal.flatMap((other, m) => (other.includes(part) ? [`t${m}`] : [])).reverse();
      expect(ids, `text ${part}`).toEqual(holds);
      expect(ids).toContain(`t${n}`);
    }
  });

  test("letter case counts beyond A to Z", async (s) => {
    await s.insert(newTask("upper", { name: "ÄRGER" }), newTask("lower", { name: "ärger" }));
    expect(await found(s, { text: "Ärger" })).toEqual(["upper"]);
    expect(await found(s, { text: "ärgER" })).toEqual(["lower"]);
  });
}
