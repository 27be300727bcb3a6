import {
  DEFAULT_STEPS,
  laneOrders,
  type NodeId,
  nodeId,
  queueName,
  type Settlement,
  taskId,
  typeName,
} from "@giveway/kernel";
import type { ClaimedTask, ClaimRequest, NewTask, TaskStore } from "@giveway/store";

export const QUEUE = queueName("orders");
export const TYPE = typeName("close_order");
export const NODE = nodeId("node-1");

export function newTask(id: string, given: Partial<NewTask> = {}): NewTask {
  return {
    id: taskId(id),
    type: TYPE,
    queue: QUEUE,
    name: null,
    weight: 5,
    payload: '{"orderId":10086}',
    overrides: {},
    requestId: `request-${id}`,
    rerunOf: null,
    dueAt: 0,
    handOff: null,
    ...given,
  };
}

export function newTasks(count: number, prefix = "task", given: Partial<NewTask> = {}): NewTask[] {
  return Array.from({ length: count }, (_, index) => newTask(`${prefix}-${index}`, given));
}

export function register(store: TaskStore, node: NodeId = NODE): Promise<void> {
  return store.register({ node, label: "test", release: "1", types: [TYPE], now: 0, lease: store.features.lease });
}

let claims = 0;

/** A claim of the test's own type: `limit` tasks of each lane, all to start at once. */
export function claimRequest(
  now: number,
  given: Partial<ClaimRequest> & { readonly limit?: number } = {},
): ClaimRequest {
  const { limit = 1_000, ...rest } = given;
  claims += 1;
  return {
    queue: QUEUE,
    node: NODE,
    claimNo: claims,
    now,
    types: [{ type: TYPE, room: 100_000, bound: null }],
    lanes: laneOrders("express", DEFAULT_STEPS).map((order) => ({ order, limit, direct: limit })),
    ...rest,
  };
}

export function success(task: ClaimedTask, now: number, given: Partial<Settlement> = {}): Settlement {
  return {
    event: "succeed",
    state: "succeeded",
    outcome: "succeeded",
    attempt: task.attempt,
    failures: task.failures,
    losses: task.losses,
    noPrefetch: task.noPrefetch,
    dueAt: task.dueAt,
    place: "keep",
    startedAt: now,
    endedAt: now,
    error: null,
    endReason: "succeeded",
    result: "null",
    checkpoint: null,
    log: [],
    ...given,
  };
}

export async function settleAll(store: TaskStore, tasks: readonly ClaimedTask[], now: number): Promise<void> {
  const outcomes = await store.settle(
    tasks.map((task) => ({ key: task.key, fence: task.fence, settlement: success(task, now) })),
    now,
  );
  const refused = outcomes.filter(({ kind }) => kind === "refused");
  if (refused.length > 0) throw new Error(`${refused.length} settlements were refused`);
}
