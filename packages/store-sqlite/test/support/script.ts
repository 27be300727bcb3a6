import {
  decideCancel,
  decideEdit,
  decideExpire,
  decideReplace,
  decideRerun,
  laneOrders,
  type NodeId,
  nodeId,
  POLICIES,
  type QueueName,
  queueName,
  type RunFacts,
  type Settlement,
  settleFailure,
  settleGiveWay,
  settleLost,
  settleRelease,
  settleSnooze,
  settleSuccess,
  settleUnclaim,
  type TaskRecord,
  type TypeName,
  taskId,
  typeName,
  VIEW_STATES,
  type ViewState,
  type Weight,
} from "@giveway/kernel";
import type { ChangeOp, ClaimRequest, NewTask, SettleOp, TaskStore } from "@giveway/store";
import fc from "fast-check";

/**
 * A script of random calls that any store can be taken through. Every choice is a number taken modulo what there is to choose from, so a script
 * means the same on each store and shrinks well.
 */
export interface Step {
  readonly kind: Kind;
  readonly picks: readonly number[];
}
export type Kind = keyof typeof STEPS;

/** What a script goes by; moved by its own steps, alike for every store that keeps the contract. */
interface World {
  readonly store: TaskStore;
  now: number;
  claimNo: number;
  held: { key: number; fence: number; id: string }[];
}

const QUEUES: readonly QueueName[] = ["orders", "mail"].map(queueName);
const TYPES: readonly TypeName[] = ["close", "notify", "report"].map(typeName);
const NODES: readonly NodeId[] = ["alpha", "beta"].map(nodeId);
const ACTOR = { by: "tester", cause: "script" };
const IDS = 25;

/** Takes picks one after the other; zero once they are used up. */
class Chooser {
  readonly #picks: readonly number[];
  #at = 0;

  constructor(picks: readonly number[]) {
    this.#picks = picks;
  }

  below(limit: number): number {
    const pick = this.#picks[this.#at] ?? 0;
    this.#at += 1;
    return limit <= 0 ? 0 : pick % limit;
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 1;
  }
}

/** Calls whose answers are to be compared. */
const STEPS = {
  async insert(world: World, choose: Chooser) {
    const batch = Array.from({ length: 1 + choose.below(4) }, () => randomTask(world, choose));
    return world.store.insert(batch, choose.of(["express", "normal", "bulk"] as const), world.now);
  },
  async claim(world: World, choose: Chooser) {
    const answer = await world.store.claim(randomClaim(world, choose));
    world.held.push(...answer.tasks.map(({ key, fence, id }) => ({ key, fence, id })));
    return answer;
  },
  async settle(world: World, choose: Chooser) {
    const ops: SettleOp[] = [];
    for (let count = 1 + choose.below(4); count > 0 && world.held.length > 0; count -= 1) {
      const op = await randomSettle(world, choose);
      if (op !== null) ops.push(op);
    }
    return world.store.settle(ops, world.now);
  },
  async start({ store, held, now }: World, choose: Chooser) {
    const own = choose.of(held);
    if (own === undefined) return null;
    const [task] = await store.get([taskId(own.id)]);
    const attempt = (task?.attempt ?? 0) + (task?.startedAt == null ? 1 : 0);
    return store.markStarted([{ key: own.key, fence: own.fence, attempt, startedAt: now } as never]);
  },
  async progress({ store, held }: World, choose: Chooser) {
    const own = choose.of(held);
    if (own === undefined) return null;
    const progress = JSON.stringify(choose.below(100));
    return store.saveProgress([{ key: own.key, fence: own.fence, progress } as never]);
  },
  async change(world: World, choose: Chooser) {
    const [task] = await world.store.get([randomId(choose)]);
    const op = task == null ? null : randomChange(world, choose, task);
    return op === null ? null : world.store.change([op], world.now);
  },
  async remove({ store, now }: World, choose: Chooser) {
    const id = randomId(choose);
    const [task] = await store.get([id]);
    const version = (task?.version ?? 1) - (choose.chance(5) ? 1 : 0);
    return store.remove([{ id, version }], now);
  },
  async prune({ store, now }: World, choose: Chooser) {
    return store.prune({ now, keep: choose.below(200), remember: choose.below(400), limit: choose.below(6) });
  },
  async override({ store, now }: World, choose: Chooser) {
    const value = choose.chance(3) ? null : JSON.stringify(choose.below(9));
    const scope = choose.of(["queue", "type"] as const);
    return store.override({ scope, name: "orders", key: choose.of(["slots", "paused"]), value, by: "tester", at: now });
  },
  async upcoming({ store, now }: World, choose: Chooser) {
    const lanes = laneOrders(choose.of(POLICIES), { standard: 20, express: 10 });
    const types = choose.chance(3) ? null : [choose.of(TYPES)];
    return store.upcoming({ queue: choose.of(QUEUES), lanes, types, limit: choose.below(30), now });
  },
  async find({ store, now }: World, choose: Chooser) {
    const states = choose.chance(3) ? {} : { states: [choose.of(VIEW_STATES), choose.of<ViewState>(VIEW_STATES)] };
    const types = choose.chance(2) ? { types: [choose.of(TYPES)] } : {};
    const weights = choose.chance(4) ? { weights: [3, 5, 8] as Weight[] } : {};
    const tags = choose.chance(4) ? { tags: ["vip", "none"] } : {};
    const text = choose.chance(3) ? { text: choose.of(["T1", "NOTE", "oops", "%", ""]) } : {};
    const from = choose.chance(4) ? { createdFrom: choose.below(300), createdTo: 300 + choose.below(300) } : {};
    const after = choose.chance(3) ? { after: choose.below(40) as never } : {};
    return store.find({
      ...states,
      ...types,
      ...weights,
      ...tags,
      ...text,
      ...from,
      ...after,
      limit: choose.below(12),
      now,
    });
  },
  async node({ store, now }: World, choose: Chooser) {
    const node = choose.of(NODES);
    if (choose.chance(4)) return store.forget(node);
    if (choose.chance(3)) return store.register({ node, label: "l", release: "2", types: TYPES, now, lease: 60_000 });
    return (await store.beat(node, now)).signals;
  },
  async tick(world: World, choose: Chooser) {
    world.now += 1 + choose.below(60);
    return world.now;
  },
} as const;

export const script: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.oneof(
      ...(
        [
          [4, "insert"],
          [4, "claim"],
          [4, "settle"],
          [2, "start"],
          [1, "progress"],
          [3, "change"],
          [1, "remove"],
          [1, "prune"],
          [1, "override"],
          [1, "upcoming"],
          [1, "find"],
          [1, "node"],
          [3, "tick"],
        ] as const
      ).map(([weight, kind]) => ({ weight, arbitrary: fc.constant<Kind>(kind) })),
    ),
    picks: fc.array(fc.nat(999), { minLength: 4, maxLength: 40 }),
  }),
  { minLength: 10, maxLength: 60 },
);

/** Runs a script and answers what each step was told, and all there is to see at the end. */
export async function play(store: TaskStore, steps: readonly Step[]): Promise<unknown[]> {
  const world: World = { store, now: 100, claimNo: 0, held: [] };
  for (const node of NODES) {
    await store.register({ node, label: "l", release: "1", types: TYPES, now: world.now, lease: 60_000 });
  }
  const told: unknown[] = [];
  for (const { kind, picks } of steps) told.push([kind, await STEPS[kind](world, new Chooser(picks))]);
  told.push(await everything(world));
  return told;
}

/** The whole visible state, in an order of its own. */
async function everything({ store, now }: World): Promise<unknown> {
  const { tasks } = await store.find({ limit: 1_000, now });
  const histories = await Promise.all(tasks.map(({ id }) => store.history(id)));
  const ids = Array.from({ length: IDS }, (_, index) => taskId(`t${index}`));
  const nodes = (await store.nodes()).map(({ node, label, release, types, declaredDead, startedAt }) => {
    return { node, label, release, types, declaredDead, startedAt };
  });
  return {
    histories,
    remembered: await store.remembered(ids),
    depths: sorted(await store.depths()),
    totals: sorted(await store.totals()),
    nextDue: sorted(await store.nextDue()),
    overrides: sorted(await store.overrides()),
    nodes: sorted(nodes),
    held: await Promise.all(NODES.map((node) => store.held(node, 100))),
  };
}

function sorted<Value>(values: readonly Value[]): Value[] {
  return [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function randomId(choose: Chooser): TaskRecord["id"] {
  return taskId(`t${choose.below(IDS)}`);
}

function randomTask({ now }: World, choose: Chooser): NewTask {
  const id = randomId(choose);
  return {
    id,
    type: choose.of(TYPES),
    queue: choose.of(QUEUES),
    name: choose.chance(3) ? "a Note" : null,
    weight: (1 + choose.below(10)) as Weight,
    payload: JSON.stringify({ for: choose.below(5) }),
    overrides: choose.chance(3) ? { tags: ["vip"], expires: now + choose.below(50) } : {},
    requestId: `r-${id}`,
    rerunOf: null,
    dueAt: now + choose.below(3) * choose.below(40),
    handOff: choose.chance(5) ? { node: choose.of([...NODES, nodeId("nobody")]), claimNo: 1 } : null,
  };
}

function randomClaim(world: World, choose: Chooser): ClaimRequest {
  world.claimNo += 1;
  const lanes = laneOrders(choose.of(POLICIES), { standard: 20, express: 10 }).map((order) => {
    const limit = choose.below(8);
    return { order, limit, direct: Math.min(limit, choose.below(8)) };
  });
  const types = TYPES.filter(() => !choose.chance(4)).map((type) => {
    const room = choose.below(6);
    const direct = choose.chance(3) ? { direct: Math.min(room, choose.below(4)) } : {};
    return { type, room, ...direct, bound: choose.chance(3) ? choose.below(8) : null };
  });
  return { queue: choose.of(QUEUES), node: choose.of(NODES), claimNo: world.claimNo, now: world.now, types, lanes };
}

async function randomSettle(world: World, choose: Chooser): Promise<SettleOp | null> {
  const at = choose.below(world.held.length);
  const own = world.held[at];
  if (own === undefined) return null;
  if (!choose.chance(4)) world.held.splice(at, 1);
  const [task] = await world.store.get([taskId(own.id)]);
  if (task == null) return null;
  const settlement = randomSettlement(world.now, choose, task);
  const stale = choose.chance(10) ? 1 : 0;
  return { key: own.key, fence: own.fence - stale, settlement } as SettleOp;
}

function randomSettlement(now: number, choose: Chooser, task: TaskRecord): Settlement {
  const started = task.startedAt !== null || choose.chance(2);
  const run: RunFacts = {
    attempt: task.attempt + (started && task.startedAt === null ? 1 : 0),
    started,
    failures: task.failures,
    losses: task.losses,
    noPrefetch: task.noPrefetch,
    dueAt: task.dueAt,
    startedAt: started ? (task.startedAt ?? now) : null,
    now,
    log: choose.chance(3) ? [{ at: now, level: "info", text: "a line" }] : [],
    checkpoint: choose.chance(4) ? '{"step":1}' : task.checkpoint,
  };
  if (choose.chance(6) && task.state === "running") return settleLost(task, 2, now);
  if (!started) return settleUnclaim(run);
  const error = { name: "Error", message: "Oops", code: "E_TEST" };
  switch (choose.below(6)) {
    case 0:
      return settleFailure(run, { outcome: "failed", error, delay: choose.below(40), reason: "retries_exhausted" });
    case 1:
      return settleFailure(run, { outcome: "timed_out", error, delay: null, reason: "retries_exhausted" });
    case 2:
      return settleRelease(run);
    case 3:
      return choose.chance(2) ? settleSnooze(run, choose.below(30)) : settleGiveWay(run, '{"step":2}');
    default:
      return settleSuccess(run, JSON.stringify({ result: choose.below(3) }));
  }
}

/** A change as the kernel decides it; null where it decides that there is none. */
function randomChange({ now }: World, choose: Chooser, task: TaskRecord): ChangeOp | null {
  const version = task.version - (choose.chance(8) ? 1 : 0);
  try {
    const decision = decide(now, choose, task);
    return decision === null ? null : { ...decision, id: task.id, version };
  } catch {
    return null;
  }
}

function decide(now: number, choose: Chooser, task: TaskRecord): ReturnType<typeof decideEdit> {
  const weight = (1 + choose.below(10)) as Weight;
  const dueAt = now + choose.below(3) * 20 - 5;
  const payload = JSON.stringify({ edited: choose.below(3) });
  switch (choose.below(6)) {
    case 0:
      return decideCancel(task, now, ACTOR);
    case 1:
      return decideExpire(task, now);
    case 2:
      return decideRerun(task, choose.chance(2) ? { dueAt, payload } : { dueAt }, now, ACTOR);
    case 3: {
      const { queue, overrides, requestId } = task;
      const by = { queue, name: "new", weight, payload, overrides, requestId: `${requestId}+`, dueAt };
      return decideReplace(task, by, now, ACTOR);
    }
    case 4:
      return decideEdit(task, { weight }, { policy: "express" }, now, ACTOR);
    default:
      return decideEdit(task, { weight, dueAt, payload, name: "edited" }, { policy: "express" }, now, ACTOR);
  }
}
