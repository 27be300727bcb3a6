import {
  type Admission,
  DEFAULT_RETRY,
  DEFAULT_STEPS,
  fence,
  laneOrders,
  type Policy,
  queueName,
  seq,
  taskId,
  taskKey,
  typeName,
  type Weight,
} from "@giveway/kernel";
import type { ClaimAnswer, ClaimedTask, ClaimLane } from "@giveway/store";
import { describe, expect, it } from "vitest";
import { type NodePort, QueueRuntime } from "../src/dispatch/queue-runtime.ts";
import { TypePool } from "../src/pools/type-pool.ts";

const type = typeName("work");
let made = 0;

function task(weight: Weight, started: boolean): ClaimedTask {
  made += 1;
  return {
    key: taskKey(made),
    id: taskId(`${weight >= 7 ? "e" : "s"}${made}`),
    type,
    queue: queueName("default"),
    name: null,
    weight,
    payload: "{}",
    overrides: {},
    requestId: "r",
    createdAt: 0,
    dueAt: 0,
    seq: seq(made),
    since: 0,
    fence: fence(1),
    attempt: started ? 1 : 0,
    started,
    failures: 0,
    losses: 0,
    noPrefetch: false,
    checkpoint: null,
  };
}

const nothing: ClaimAnswer = {
  tasks: [],
  left: { express: false, standard: false },
  full: [],
  overtakenUntil: { express: null, standard: null },
  nextDueAt: null,
};

/** One queue on a node that only notes what it is asked for. */
function queueOf(policy: Policy, slots: number) {
  const claims: (readonly ClaimLane[])[] = [];
  const running: { readonly lane: string; readonly admission: Admission }[] = [];
  const starts: string[] = [];
  const breaches: string[] = [];
  let elapsed = 0;
  const pool = new TypePool(
    {
      type,
      queue: queueName("default"),
      weight: 5,
      timeout: 60_000,
      concurrency: null,
      retry: { spec: DEFAULT_RETRY, next: null, retryable: null },
      deriveId: null,
      validate: null,
      run: () => undefined,
    },
    0,
  );
  const node: NodePort = {
    mayStart: true,
    pools: [pool],
    poolOf: () => pool,
    moment: () => ({ now: 1_000 + elapsed, monotonic: 1_000 + elapsed }),
    spend: () => true,
    requestTurn: () => undefined,
    claim: (_, { lanes }) => claims.push(lanes),
    start: (started, _weight, _pool, _owner, admission) => {
      const lane = String(started.id).slice(0, 1);
      starts.push(lane);
      running.push({ lane, admission });
    },
    giveBack: () => undefined,
    after: () => null as never,
    cancel: () => undefined,
    breached: (_, part) => breaches.push(part),
  };
  const queue = new QueueRuntime(
    {
      name: queueName("default"),
      policy,
      lanes: laneOrders(policy, DEFAULT_STEPS),
      steps: DEFAULT_STEPS,
      slots,
      burst: slots,
      burstFor: "express",
      share: 70,
      paused: false,
    },
    node,
  );
  return {
    queue,
    claims,
    starts,
    breaches,
    answer: (answer: Partial<ClaimAnswer>) => queue.answered({ ...nothing, ...answer }, claims.at(-1) ?? [], true),
    /** So many ends within 10 ms: from now on there is a pace, and with it a prefetch. */
    drained: (ends: number) => {
      for (let n = 0; n < ends; n += 1) queue.ran(1);
      elapsed += 10;
    },
    /** The oldest handler settles. */
    end: () => {
      const first = running.shift();
      if (first !== undefined) queue.vacated(first.admission);
    },
  };
}

describe("QueueRuntime", () => {
  it("keeps a standard start's turn for the claim that looks for it", () => {
    const { queue, starts, claims, answer, drained, end, breaches } = queueOf("rotation", 1);
    queue.arrived(9);
    queue.arrived(2);
    queue.pump();
    const ahead = Array.from({ length: 20 }, () => task(9, false));
    answer({ tasks: [task(9, true), ...ahead], left: { express: true, standard: true } });
    // A claim is under way from here on; nothing of its standard work has come yet.
    drained(50);
    queue.pump();
    expect(claims).toHaveLength(2);
    for (let n = 0; n < 15; n += 1) end();
    expect(starts.join("")).toBe("eeeeeeeeee");
    answer({ tasks: [task(2, false)], left: { express: true, standard: false } });
    expect(starts.join("")).toBe("eeeeeeeeees");
    expect(breaches).toEqual([]);
  });

  it("asks for what the rules would start one by one, and holds those slots until the answer", () => {
    const { queue, starts, claims, answer } = queueOf("express", 4);
    queue.arrived(8);
    queue.arrived(5);
    queue.pump();
    expect(claims.map((lanes) => lanes.map(({ limit, direct }) => [limit, direct]))).toEqual([
      [
        [2, 2],
        [2, 2],
      ],
    ]);
    expect(queue.usage).toEqual({ express: 2, standard: 2, burst: 0 });
    answer({ tasks: [task(8, true), task(5, true)] });
    expect(starts).toEqual(["e", "s"]);
    expect(queue.usage).toEqual({ express: 1, standard: 1, burst: 0 });
    expect(queue.idle).toBe(true);
  });

  it("asks again for what became known while a claim was under way", () => {
    const { queue, claims, answer } = queueOf("express", 4);
    queue.arrived(5);
    queue.pump();
    queue.arrived(5);
    queue.pump();
    expect(claims).toHaveLength(1);
    answer({ tasks: [task(5, true)] });
    expect(claims).toHaveLength(2);
    answer({});
    expect(queue.idle).toBe(true);
  });

  it("gives up its slots and keeps its flags where a claim fails", () => {
    const { queue, claims } = queueOf("express", 4);
    queue.arrived(5);
    queue.pump();
    queue.failed();
    expect(queue.usage).toEqual({ express: 0, standard: 0, burst: 0 });
    queue.pump();
    expect(claims).toHaveLength(2);
  });
});
