import type { QueueView, Scheduler, SubmitAnswer, TaskEventView, TaskView } from "@giveway/engine";
import { GivewayError } from "@giveway/kernel";

export function taskView(fields: Partial<TaskView> = {}): TaskView {
  return {
    id: "t1",
    name: null,
    type: "echo",
    queue: "default",
    state: "waiting",
    view: "waiting",
    settling: false,
    weight: 5,
    effectiveWeight: 5,
    lane: "standard",
    attempt: 0,
    retries: 0,
    maxRetries: 3,
    payload: null,
    result: null,
    progress: null,
    lastError: null,
    lastOutcome: null,
    endReason: null,
    requestId: "r1",
    rerunOf: null,
    tags: [],
    node: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    dueAt: "2026-01-01T00:00:00.000Z",
    startedAt: null,
    endedAt: null,
    deadline: null,
    expires: null,
    ...fields,
  };
}

export function queueView(fields: Partial<QueueView> = {}): QueueView {
  return {
    name: "default",
    policy: "express",
    slots: 4,
    burst: 8,
    share: 70,
    cap: 2,
    paused: false,
    overrides: [],
    depth: { waiting: 0, delayed: 0, running: 0, express: 0, standard: 0, byWeight: {} },
    oldestWaiting: { express: null, standard: null },
    types: [{ type: "echo", paused: false, concurrency: null, running: 0, zombies: 0, stopped: false }],
    ended: { succeeded: 0, dead: 0, cancelled: 0 },
    bounds: { order: { breaches: 0 }, share: { breaches: 0 } },
    ...fields,
  };
}

export interface Recorded {
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface FakeScheduler extends Scheduler {
  /** Every call, in order. */
  readonly calls: Recorded[];
  /** As if something had happened to a task. */
  emit(event: Partial<TaskEventView>): void;
  readonly listeners: number;
}

/**
 * A scheduler that answers at once with what a test tells it to, and writes down how it was called: for errors and moments that the real
 * one can't be made to have on demand.
 */
export function fakeScheduler(answers: Partial<Scheduler> = {}): FakeScheduler {
  const calls: Recorded[] = [];
  const listeners = new Set<(event: TaskEventView) => void>();
  let n = 0;
  const answer: SubmitAnswer = { task: taskView(), created: true };
  const base: Partial<Scheduler> = {
    nodeId: "node-1",
    submit: async (type, payload) => ({
      ...answer,
      task: taskView({ type: String(type), payload: payload as TaskView["payload"] }),
    }),
    submitMany: async (items) => items.map(() => answer),
    get: async (id) => (id === "t1" ? taskView() : null),
    find: async () => ({ items: [taskView()], nextCursor: null }),
    history: async () => ({ attempts: [], changes: [] }),
    why: async (id) => ({ id, state: "waiting", view: "waiting", reasons: [], attempts: [] }),
    cancel: async () => taskView({ state: "cancelled", view: "cancelled" }),
    reweight: async () => taskView(),
    edit: async () => taskView(),
    rerun: async () => ({ task: taskView(), created: false }),
    remove: async () => undefined,
    redrive: async () => ({ matched: 0, redriven: 0 }),
    pause: async () => undefined,
    resume: async () => undefined,
    queues: async () => [queueView()],
    queue: async () => queueView(),
    setQueue: async () => queueView(),
    next: async () => [],
    slots: () => [],
    nodes: async () => [],
    types: () => [{ type: "echo", queue: "default", derivesId: false, concurrency: null, timeout: 60_000 }],
    metrics: async () => ({ families: [] }),
    stats: async () => ({
      backlog: 0,
      delayed: 0,
      running: 0,
      dead: 0,
      succeeded: 0,
      failed: 0,
      successRate: null,
      failureRate: null,
      meanWait: null,
      meanRun: null,
      meanScheduleDelay: null,
    }),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health: () => ({ live: true, ready: true, reasons: [] }),
    ...answers,
  };
  const own = {
    calls,
    emit(event: Partial<TaskEventView>) {
      n += 1;
      const view: TaskEventView = {
        n,
        at: "2026-01-01T00:00:00.000Z",
        kind: "started",
        task: "t1",
        type: "echo",
        queue: "default",
        name: null,
        weight: 5,
        attempt: 1,
        data: {},
        ...event,
      };
      for (const listener of listeners) listener(view);
    },
    get listeners() {
      return listeners.size;
    },
  };
  return new Proxy(own as unknown as FakeScheduler, {
    get(target, name: keyof FakeScheduler) {
      if (name in target) return target[name];
      const value = base[name as keyof Scheduler];
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        calls.push({ method: String(name), args });
        return (value as (...args: unknown[]) => unknown)(...args);
      };
    },
  });
}

export const rejecting = (error: unknown) => () => Promise.reject(error);
export const coded = (code: ConstructorParameters<typeof GivewayError>[0], message: string, details = {}) =>
  new GivewayError(code, message, details);
