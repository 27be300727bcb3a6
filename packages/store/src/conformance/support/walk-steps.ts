import { nodeId, queueName, type Random, type TaskId, type TaskKey, type TaskRecord, typeName } from "@giveway/kernel";
import type { NewTask, SettingOverride, TaskStore } from "../../task-store.ts";
import { lanesOf, newTask, registration } from "./builders.ts";
import type { Pair } from "./compare.ts";
import { chance, oneOf, upTo } from "./dice.ts";
import { randomChange } from "./walk-changes.ts";
import { randomQuery } from "./walk-queries.ts";
import { randomSettlement } from "./walk-settlements.ts";

export interface Walk {
  readonly pair: Pair;
  readonly random: Random;
  now: number;
  /** Of each task ever made, by id, in either ledger. */
  readonly keys: Map<TaskId, { readonly store: TaskKey; readonly reference: TaskKey }>;
  claims: number;
  made: number;
}

export const WALK_TYPES = ["alpha", "beta", "gamma"].map(typeName);
export const WALK_QUEUES = ["main", "main", "side"].map(queueName);
const NODES = ["node-1", "node-2", "node-3"].map(nodeId);
const IDS = 60;
const POLICIES = ["express", "express", "ladder", "rotation", "strict", "fifo"] as const;

/** How often each kind of call is made. */
const STEPS: readonly (readonly [number, (walk: Walk) => Promise<void>])[] = [
  [14, insertSome],
  [14, claimSome],
  [16, settleSome],
  [5, markSome],
  [3, progressSome],
  [14, changeSome],
  [4, removeSome],
  [6, findSome],
  [4, lookSome],
  [3, upcomingSome],
  [3, setSome],
  [6, nodeStep],
  [2, pruneSome],
  [10, passTime],
];
const TOTAL = STEPS.reduce((sum, [odds]) => sum + odds, 0);

export async function walkStep(walk: Walk): Promise<void> {
  let pick = walk.random() * TOTAL;
  for (const [odds, step] of STEPS) {
    pick -= odds;
    if (pick < 0) return step(walk);
  }
}

export function randomId({ random }: Walk): TaskId {
  return `id-${upTo(random, IDS - 1)}` as TaskId;
}

/** A row as the reference has it; most often one that is in the given state, where there is any. */
async function someTask(walk: Walk, state?: TaskRecord["state"]): Promise<TaskRecord | null> {
  const { reference } = walk.pair;
  if (state !== undefined && chance(walk.random, 0.8)) {
    const { tasks } = await reference.find({ states: [state], limit: IDS, now: walk.now });
    return tasks.length === 0 ? null : oneOf(walk.random, tasks);
  }
  return (await reference.get([randomId(walk)]))[0] ?? null;
}

async function insertSome(walk: Walk): Promise<void> {
  const { random, now, pair } = walk;
  const batch = Array.from({ length: 1 + upTo(random, 4) }, (): NewTask => {
    walk.made += 1;
    return newTask(randomId(walk), {
      type: oneOf(random, WALK_TYPES),
      queue: oneOf(random, WALK_QUEUES),
      name: chance(random, 0.3) ? `Name ${upTo(random, 9)}%_'` : null,
      weight: (1 + upTo(random, 9)) as NewTask["weight"],
      payload: JSON.stringify({ n: walk.made, text: "ü".repeat(upTo(random, 3)) }),
      overrides: chance(random, 0.3) ? { tags: [`tag-${upTo(random, 2)}`], timeout: 5 } : {},
      requestId: `request-${walk.made}`,
      dueAt: now + (chance(random, 0.4) ? upTo(random, 9_000) : -upTo(random, 50)),
      handOff: chance(random, 0.15) ? { node: oneOf(random, NODES), claimNo: 1 } : null,
    });
  });
  const turn = oneOf(random, ["express", "normal", "bulk"] as const);
  const insert = (store: TaskStore) => store.insert(batch, turn, now);
  const found: Record<string, TaskKey[]> = {};
  await pair.same("insert", async (store, which) => {
    const outcomes = await insert(store);
    found[which] = outcomes.map((outcome) => (outcome.kind === "created" ? outcome.key : (0 as TaskKey)));
    return outcomes;
  });
  for (const [n, { id }] of batch.entries()) {
    const [store, reference] = [found["store"]?.[n], found["reference"]?.[n]];
    if (store !== undefined && reference !== undefined && reference !== 0) walk.keys.set(id, { store, reference });
  }
}

async function claimSome(walk: Walk): Promise<void> {
  const { random, now, pair } = walk;
  walk.claims += 1;
  const limits = { express: upTo(random, 3), standard: upTo(random, 5) };
  const direct = { express: upTo(random, limits.express), standard: upTo(random, limits.standard) };
  const request = {
    queue: oneOf(random, WALK_QUEUES),
    node: oneOf(random, NODES),
    claimNo: walk.claims,
    now,
    types: WALK_TYPES.filter(() => chance(random, 0.8)).map((type) => ({
      type,
      room: upTo(random, 5),
      bound: chance(random, 0.2) ? upTo(random, 9) : null,
      ...(chance(random, 0.2) ? { direct: upTo(random, 2) } : {}),
    })),
    lanes: lanesOf(limits, direct, oneOf(random, POLICIES)),
  };
  await pair.same(`claim ${JSON.stringify(request)}`, (store) => store.claim(request));
}

function keyIn(walk: Walk, task: TaskRecord, which: "store" | "reference"): TaskKey {
  return walk.keys.get(task.id)?.[which] ?? (999_999_999 as TaskKey);
}

/** The fence that the task has now; now and then another. */
function fenceOf(walk: Walk, task: TaskRecord): TaskRecord["fence"] {
  const off = chance(walk.random, 0.15) ? oneOf(walk.random, [-1, 1]) : 0;
  return (task.fence + off) as TaskRecord["fence"];
}

async function settleSome(walk: Walk): Promise<void> {
  const ops: { task: TaskRecord; fence: TaskRecord["fence"]; settlement: ReturnType<typeof randomSettlement> }[] = [];
  for (let n = 1 + upTo(walk.random, 2); n > 0; n -= 1) {
    const task = await someTask(walk, "running");
    if (task === null) continue;
    ops.push({ task, fence: fenceOf(walk, task), settlement: randomSettlement(walk, task) });
  }
  const what = `settle ${JSON.stringify(ops.map(({ task, settlement }) => [task.id, settlement.event]))}`;
  await walk.pair.same(what, (store, which) =>
    store.settle(
      ops.map(({ task, fence, settlement }) => ({ key: keyIn(walk, task, which), fence, settlement })),
      walk.now,
    ),
  );
}

async function markSome(walk: Walk): Promise<void> {
  const task = await someTask(walk, "running");
  if (task === null) return;
  const mark = { fence: fenceOf(walk, task), attempt: task.attempt + 1, startedAt: walk.now };
  await walk.pair.same(`start ${task.id}`, (store, which) =>
    store.markStarted([{ key: keyIn(walk, task, which), ...mark }]),
  );
}

async function progressSome(walk: Walk): Promise<void> {
  const task = await someTask(walk, "running");
  if (task === null) return;
  const mark = { fence: fenceOf(walk, task), progress: `${walk.made}` };
  await walk.pair.same(`progress ${task.id}`, (store, which) =>
    store.saveProgress([{ key: keyIn(walk, task, which), ...mark }]),
  );
}

async function changeSome(walk: Walk): Promise<void> {
  const task = await someTask(
    walk,
    oneOf(walk.random, ["waiting", "waiting", "running", "dead", "cancelled"] as const),
  );
  const decision = task === null ? null : randomChange(walk, task);
  if (task === null || decision === null) return;
  const version = chance(walk.random, 0.1) ? task.version - 1 : task.version;
  const op = { id: task.id, version, ...decision };
  await walk.pair.same(`change ${JSON.stringify(op)}`, (store) => store.change([op], walk.now));
}

async function removeSome(walk: Walk): Promise<void> {
  const task = await someTask(walk, oneOf(walk.random, ["succeeded", "cancelled", "dead"] as const));
  if (task === null) return;
  const op = { id: task.id, version: chance(walk.random, 0.1) ? task.version + 1 : task.version };
  await walk.pair.same(`remove ${task.id}`, (store) => store.remove([op], walk.now));
}

async function findSome(walk: Walk): Promise<void> {
  const query = randomQuery(walk);
  const what = `find ${JSON.stringify(query)}`;
  const pages = { store: undefined as TaskKey | undefined, reference: undefined as TaskKey | undefined };
  for (let page = 0; page < 3; page += 1) {
    const { next } = await walk.pair.same(`${what}, page ${page}`, async (store, which) => {
      const after = pages[which];
      const answer = await store.find({ ...query, ...(after === undefined ? {} : { after }) });
      pages[which] = answer.next ?? undefined;
      return answer;
    });
    if (next === null) return;
  }
}

async function lookSome(walk: Walk): Promise<void> {
  const ids = Array.from({ length: 3 }, () => randomId(walk));
  await walk.pair.same("get", (store) => store.get(ids));
  await walk.pair.same("remembered", (store) => store.remembered(ids));
  await walk.pair.same(`history ${ids[0]}`, (store) => store.history(ids[0] as TaskId));
}

async function upcomingSome(walk: Walk): Promise<void> {
  const { random, now } = walk;
  const request = {
    queue: oneOf(random, WALK_QUEUES),
    lanes: lanesOf({}, {}, oneOf(random, POLICIES)).map(({ order }) => order),
    types: chance(random, 0.5) ? null : WALK_TYPES.filter(() => chance(random, 0.6)),
    limit: upTo(random, 12),
    now,
  };
  await walk.pair.same(`upcoming ${JSON.stringify(request)}`, (store) => store.upcoming(request));
}

async function setSome(walk: Walk): Promise<void> {
  const { random, now } = walk;
  const change: SettingOverride = {
    scope: oneOf(random, ["queue", "type"] as const),
    name: oneOf(random, ["main", "side"]),
    key: oneOf(random, ["slots", "paused"]),
    value: chance(random, 0.3) ? null : `${upTo(random, 9)}`,
    by: "ada",
    at: now,
  };
  await walk.pair.same("override", (store) => store.override(change));
}

async function nodeStep(walk: Walk): Promise<void> {
  const { random, now, pair } = walk;
  const node = oneOf(random, NODES);
  const pick = upTo(random, 9);
  if (pick <= 4) await pair.same(`beat ${node}`, (store) => store.beat(node, now));
  else if (pick <= 6) await pair.same(`register ${node}`, (store) => store.register(registration(node, now)));
  else if (pick === 7) {
    const stale = chance(random, 0.5) ? 1 : 0;
    await pair.same(`declare ${node} dead`, async (store) => {
      const record = (await store.nodes()).find((own) => own.node === node);
      return store.declareDead(node, (record?.lastBeat ?? 0) - stale);
    });
  } else if (pick === 8) await pair.same(`forget ${node}`, (store) => store.forget(node));
  else await pair.same(`held by ${node}`, (store) => store.held(node, upTo(random, 0) + 5));
  await pair.same("nodes", async (store) => [...(await store.nodes())].sort((a, b) => (a.node < b.node ? -1 : 1)));
}

async function pruneSome(walk: Walk): Promise<void> {
  const { random, now } = walk;
  const request = { now, keep: upTo(random, 60_000), remember: upTo(random, 120_000), limit: upTo(random, 8) };
  await walk.pair.same(`prune ${JSON.stringify(request)}`, (store) => store.prune(request));
}

/** Now and then the clock is set back a little: due times and places must not mind. */
async function passTime(walk: Walk): Promise<void> {
  walk.now += chance(walk.random, 0.1) ? -upTo(walk.random, 500) : upTo(walk.random, 4_000);
}
