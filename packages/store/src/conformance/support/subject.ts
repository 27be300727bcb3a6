import {
  type ChangeDecision,
  decideCancel,
  decideRerun,
  type NodeId,
  type Settlement,
  SYSTEM,
  settleFailure,
  settleLost,
  settleSuccess,
  type TaskRecord,
  taskId,
} from "@giveway/kernel";
import { expect } from "vitest";
import type {
  ChangeOutcome,
  ClaimAnswer,
  ClaimedTask,
  ClaimRequest,
  InsertOutcome,
  NewTask,
  SettleOutcome,
  StoreListener,
  TaskStore,
} from "../../task-store.ts";
import { BROKEN, lanesOf, MAIN, N1, N2, newTask, openTypes, registration, runOf, T0 } from "./builders.ts";
import type { MakeLedger, TestLedger } from "./harness.ts";
import { assertCounted } from "./recount.ts";

const SILENT: StoreListener = { wake() {}, fatal() {} };

/** A store under test with two registered nodes, a clock that the test moves, and short forms of what tests do all the time. */
export class Subject {
  readonly ledger: TestLedger;
  readonly store: TaskStore;
  now = T0;
  readonly #opened: TaskStore[] = [];
  #claims = 0;

  constructor(ledger: TestLedger, store: TaskStore) {
    this.ledger = ledger;
    this.store = store;
    this.#opened.push(store);
  }

  static async make(makeLedger: MakeLedger): Promise<Subject> {
    const ledger = await makeLedger();
    const subject = new Subject(ledger, await ledger.open(SILENT));
    for (const node of [N1, N2]) await subject.store.register(registration(node, T0));
    return subject;
  }

  /** One more connection to the same ledger. */
  async connect(listener: StoreListener = SILENT): Promise<TaskStore> {
    const store = await this.ledger.open(listener);
    this.#opened.push(store);
    return store;
  }

  async dispose(): Promise<void> {
    for (const store of this.#opened) await store.close();
    await this.ledger.dispose();
  }

  /** The ledger's own check finds nothing, and its counters are what counting finds. */
  async assertSound(): Promise<void> {
    const store = this.#opened.at(-1) ?? this.store;
    expect(await store.check()).toEqual([]);
    await assertCounted(store, this.now);
  }

  insert(...tasks: readonly NewTask[]): Promise<InsertOutcome[]> {
    return this.store.insert(tasks, "normal", this.now);
  }

  /** Ready tasks with nothing but an id. */
  async ready(...ids: readonly string[]): Promise<void> {
    await this.insert(...ids.map((id) => newTask(id, { dueAt: this.now })));
  }

  claim(more: Partial<ClaimRequest> = {}): Promise<ClaimAnswer> {
    this.#claims += 1;
    return this.store.claim({
      queue: MAIN,
      node: N1,
      claimNo: this.#claims,
      now: this.now,
      types: openTypes("work"),
      lanes: lanesOf({ express: 100, standard: 100 }),
      ...more,
    });
  }

  /** Claims exactly one task, which starts. */
  async claimOne(more: Partial<ClaimRequest> = {}): Promise<ClaimedTask> {
    const { tasks } = await this.claim({ lanes: lanesOf({ express: 1, standard: 1 }), ...more });
    expect(tasks).toHaveLength(1);
    return tasks[0] as ClaimedTask;
  }

  async claimIds(more: Partial<ClaimRequest> = {}): Promise<string[]> {
    return (await this.claim(more)).tasks.map(({ id }) => id);
  }

  async settle(task: ClaimedTask, settlement: Settlement): Promise<SettleOutcome> {
    const [outcome] = await this.store.settle([{ key: task.key, fence: task.fence, settlement }], this.now);
    return outcome as SettleOutcome;
  }

  succeed(task: ClaimedTask, result = "null"): Promise<SettleOutcome> {
    return this.settle(task, settleSuccess(runOf(task, this.now), result));
  }

  /** A failure with a retry after `delay`, or null for none. */
  fail(task: ClaimedTask, delay: number | null): Promise<SettleOutcome> {
    const reason = "retries_exhausted";
    const failure = { outcome: "failed", error: BROKEN, delay, reason } as const;
    return this.settle(task, settleFailure(runOf(task, this.now), failure));
  }

  /** What a take-over does with one task. */
  async lose(id: string, retries = 3): Promise<SettleOutcome> {
    const task = await this.get(id);
    const settlement = settleLost(task, retries, this.now);
    const [outcome] = await this.store.settle([{ key: task.key, fence: task.fence, settlement }], this.now);
    return outcome as SettleOutcome;
  }

  async find(id: string): Promise<TaskRecord | null> {
    return (await this.store.get([taskId(id)]))[0] ?? null;
  }

  async get(id: string): Promise<TaskRecord> {
    const task = await this.find(id);
    expect(task, `task ${id}`).not.toBeNull();
    return task as TaskRecord;
  }

  /** Decides on the task as it stands and writes it. */
  async change(id: string, decide: (task: TaskRecord) => Partial<ChangeDecision>): Promise<ChangeOutcome> {
    const task = await this.get(id);
    return this.changeOn(task, decide(task));
  }

  /** Writes a change that was decided on this state of the task. */
  async changeOn(task: TaskRecord, decision: Partial<ChangeDecision>): Promise<ChangeOutcome> {
    const op = { patch: {}, record: null, archive: false, signal: null, ...decision };
    const [outcome] = await this.store.change([{ id: task.id, version: task.version, ...op }], this.now);
    return outcome as ChangeOutcome;
  }

  cancel(id: string): Promise<ChangeOutcome> {
    return this.change(id, (task) => decideCancel(task, this.now, SYSTEM));
  }

  rerun(id: string, dueAt = this.now): Promise<ChangeOutcome> {
    return this.change(id, (task) => decideRerun(task, { dueAt }, this.now, SYSTEM));
  }

  async remove(id: string): Promise<string> {
    const task = await this.get(id);
    const [outcome] = await this.store.remove([{ id: task.id, version: task.version }], this.now);
    return outcome?.kind ?? "none";
  }

  /** Brings a fresh task into a stored state. */
  async taskIn(state: TaskRecord["state"], id: string, node: NodeId = N1): Promise<TaskRecord> {
    await this.ready(id);
    if (state === "cancelled") await this.cancel(id);
    else if (state !== "waiting") {
      const task = await this.claimOne({ node });
      expect(task.id).toBe(id);
      if (state === "succeeded") await this.succeed(task);
      if (state === "dead") await this.fail(task, null);
    }
    const task = await this.get(id);
    expect(task.state).toBe(state);
    return task;
  }
}
