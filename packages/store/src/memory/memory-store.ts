import { GivewayError, type NodeId, type TaskId, type TaskRecord } from "@giveway/kernel";
import type {
  BeatAnswer,
  ChangeOp,
  ChangeOutcome,
  ClaimAnswer,
  ClaimRequest,
  Depth,
  EndedTotal,
  FindPage,
  FindQuery,
  InsertOutcome,
  InsertTurn,
  NewTask,
  NodeRecord,
  NodeRegistration,
  ProgressMark,
  PruneRequest,
  RememberedId,
  RemoveOp,
  RemoveOutcome,
  SettingOverride,
  SettleOp,
  SettleOutcome,
  StartMark,
  StoreFeatures,
  StoreInfo,
  StoreListener,
  TaskHistory,
  TaskStore,
  UpcomingAnswer,
  UpcomingRequest,
} from "../task-store.ts";
import { attemptInRow, attemptOf } from "./attempt.ts";
import { claim } from "./claim.ts";
import { find } from "./find.ts";
import { LedgerState } from "./ledger-state.ts";
import { changedRow, claimedRow, isHeldUnder, newRow, settledRow, startedRow } from "./rows.ts";
import { upcoming } from "./upcoming.ts";

export interface MemoryStoreOptions {
  /** ms; default 15 s. */
  readonly lease?: number;
  /** ms; default 3 s. */
  readonly beat?: number;
  /** ms of the safety poll; default 0 where the ledger has one connection, else 1 s. */
  readonly poll?: number;
}

/**
 * A ledger in memory that any number of stores may be connected to, as processes are to a database. Deterministic: no timers, no clock of its
 * own, and every answer comes in the order of the calls.
 */
export class MemoryLedger {
  readonly state = new LedgerState();
  readonly #connections = new Set<MemoryStore>();
  readonly #provenDead = new Set<NodeId>();
  #made = 0;

  connect(options: MemoryStoreOptions = {}): TaskStore {
    this.#made += 1;
    return new MemoryStore(this, this.#made, options);
  }

  /** As if the node's process had ended before the eyes of the ledger. */
  proveDead(node: NodeId | string): void {
    this.#provenDead.add(node as NodeId);
  }

  isProvenDead(node: NodeId): boolean {
    return this.#provenDead.has(node);
  }

  opened(store: MemoryStore): void {
    this.#connections.add(store);
  }

  closed(store: MemoryStore): void {
    this.#connections.delete(store);
  }

  /** Tells every other connection that something was written. */
  wrote(by: MemoryStore): void {
    for (const store of this.#connections) if (store !== by) store.wake();
  }
}

/** A ledger of its own with one connection: for tests, and for programs that need no durability. */
export function createMemoryStore(options: MemoryStoreOptions = {}): TaskStore {
  return new MemoryLedger().connect({ poll: 0, ...options });
}

/** The reference implementation of the store contract: every rule in its simplest form. */
class MemoryStore implements TaskStore {
  readonly features: StoreFeatures;
  readonly #ledger: MemoryLedger;
  readonly #state: LedgerState;
  readonly #connection: number;
  #listener: StoreListener | null = null;
  #phase: "new" | "open" | "closed" = "new";
  #clock = 0;

  constructor(
    ledger: MemoryLedger,
    connection: number,
    { lease = 15_000, beat = 3_000, poll = 1_000 }: MemoryStoreOptions,
  ) {
    this.#ledger = ledger;
    this.#state = ledger.state;
    this.#connection = connection;
    this.features = { name: "memory", clock: "caller", wake: "notify", durable: false, lease, beat, poll };
  }

  async open(): Promise<void> {
    if (this.#phase === "closed") throw closed();
    this.#phase = "open";
    this.#ledger.opened(this);
  }

  async close(): Promise<void> {
    this.#phase = "closed";
    this.#ledger.closed(this);
  }

  listen(listener: StoreListener): void {
    this.#listener = listener;
  }

  wake(): void {
    this.#listener?.wake();
  }

  insert(batch: readonly NewTask[], _turn: InsertTurn, now: number): Promise<InsertOutcome[]> {
    return this.#write(batch.length, () => batch.map((task) => this.#insertOne(task, now)));
  }

  /** One that moved and took nothing is no news: else two idle nodes would wake each other for ever. */
  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const dueAt = this.#state.due.nextDueAt(request.queue);
    const answer = await this.#read(() => claim(this.#state, request));
    this.#listener?.committed?.(1, 0);
    if (answer.tasks.length > 0 || (dueAt !== null && dueAt <= request.now)) this.#ledger.wrote(this);
    return answer;
  }

  markStarted(batch: readonly StartMark[]): Promise<boolean[]> {
    return this.#write(batch.length, () => batch.map((mark) => this.#startOne(mark)));
  }

  settle(batch: readonly SettleOp[], now: number): Promise<SettleOutcome[]> {
    return this.#write(batch.length, () => batch.map((op) => this.#settleOne(op, now)));
  }

  saveProgress(batch: readonly ProgressMark[]): Promise<void> {
    return this.#write(batch.length, () => {
      for (const { key, fence, progress } of batch) {
        const task = this.#state.get(key);
        if (isHeldUnder(task, fence)) this.#state.put({ ...task, progress });
      }
    });
  }

  change(batch: readonly ChangeOp[], now: number): Promise<ChangeOutcome[]> {
    return this.#write(batch.length, () => batch.map((op) => this.#changeOne(op, now)));
  }

  remove(batch: readonly RemoveOp[], _now: number): Promise<RemoveOutcome[]> {
    return this.#write(batch.length, () => batch.map((op) => this.#removeOne(op)));
  }

  get(ids: readonly TaskId[]): Promise<(TaskRecord | null)[]> {
    return this.#read(() => ids.map((id) => this.#state.byId(id)));
  }

  remembered(ids: readonly TaskId[]): Promise<(RememberedId | null)[]> {
    return this.#read(() => ids.map((id) => this.#state.remembered(id)));
  }

  find(query: FindQuery): Promise<FindPage> {
    return this.#read(() => find(this.#state, query));
  }

  history(id: TaskId): Promise<TaskHistory | null> {
    return this.#read(() => {
      const task = this.#state.byId(id);
      if (task === null) return null;
      const { attempts, changes } = this.#state.past(task.key);
      const present = attemptInRow(task);
      return { task, attempts: present === null ? [...attempts] : [...attempts, present], changes: [...changes] };
    });
  }

  upcoming(request: UpcomingRequest): Promise<UpcomingAnswer> {
    return this.#read(() => upcoming(this.#state, request));
  }

  depths(): Promise<Depth[]> {
    return this.#read(() => this.#state.depths.depths());
  }

  totals(): Promise<EndedTotal[]> {
    return this.#read(() => this.#state.depths.totals());
  }

  nextDue(): ReturnType<TaskStore["nextDue"]> {
    return this.#read(() => this.#state.due.nextDue());
  }

  overrides(): Promise<SettingOverride[]> {
    return this.#read(() => this.#state.settings.all());
  }

  override(change: SettingOverride): Promise<SettingOverride | null> {
    return this.#write(1, () => this.#state.settings.set(change));
  }

  register(node: NodeRegistration): Promise<void> {
    return this.#write(1, () => {
      this.#clock = Math.max(this.#clock, node.now);
      this.#state.nodes.register(node, this.#connection);
    });
  }

  /** Wakes nobody: a beat is no news. */
  beat(node: NodeId, now: number): Promise<BeatAnswer> {
    return this.#read(() => {
      this.#clock = Math.max(this.#clock, now);
      return this.#state.nodes.beat(node, now);
    });
  }

  nodes(): Promise<NodeRecord[]> {
    return this.#read(() =>
      [...this.#state.nodes.all()].map(({ registration, connection, startedAt, lastBeat, declaredDead }) => ({
        node: registration.node,
        label: registration.label,
        release: registration.release,
        types: registration.types,
        startedAt,
        lastBeat,
        clock: Math.max(this.#clock, ...[...this.#state.nodes.all()].map((row) => row.lastBeat)),
        lease: registration.lease,
        declaredDead,
        provenDead: this.#ledger.isProvenDead(registration.node),
        self: connection === this.#connection,
      })),
    );
  }

  declareDead(node: NodeId, lastBeat: number): Promise<boolean> {
    return this.#write(1, () => this.#state.nodes.declareDead(node, lastBeat));
  }

  held(node: NodeId, limit: number): Promise<TaskRecord[]> {
    return this.#read(() => this.#state.heldBy(node).slice(0, limit));
  }

  forget(node: NodeId): Promise<void> {
    return this.#write(1, () => {
      if (!this.#state.holds(node)) this.#state.nodes.forget(node);
    });
  }

  prune(request: PruneRequest): ReturnType<TaskStore["prune"]> {
    return this.#write(1, () => this.#pruneSome(request));
  }

  backup(): Promise<never> {
    return this.#read(() => {
      throw new GivewayError("invalid_option", "backup: a ledger in memory has no file to copy");
    });
  }

  check(): Promise<string[]> {
    return this.#read(() => []);
  }

  info(): Promise<StoreInfo> {
    return this.#read(() => ({
      location: "memory",
      schemaVersion: 1,
      engineVersion: "memory",
      bytes: 0,
      settings: {},
    }));
  }

  async #read<Answer>(work: () => Answer): Promise<Answer> {
    if (this.#phase !== "open") throw closed();
    return work();
  }

  async #write<Answer>(operations: number, work: () => Answer): Promise<Answer> {
    const answer = await this.#read(work);
    this.#listener?.committed?.(operations, 0);
    this.#ledger.wrote(this);
    return answer;
  }

  #insertOne(task: NewTask, now: number): InsertOutcome {
    const known = this.#state.byId(task.id);
    if (known !== null) return { kind: "exists", task: known };
    const remembered = this.#state.remembered(task.id);
    if (remembered !== null) return { kind: "remembered", remembered };
    const row = this.#state.put(newRow(this.#state, task, now));
    const { key, seq, since } = row;
    const handedOff = task.handOff !== null && seq !== null && this.#state.nodes.isAlive(task.handOff.node);
    if (handedOff && task.handOff !== null) this.#state.put(claimedRow(row, task.handOff.node, now, true));
    return { kind: "created", key, seq, since, handedOff };
  }

  #startOne({ key, fence, attempt, startedAt }: StartMark): boolean {
    const task = this.#state.get(key);
    if (!isHeldUnder(task, fence)) return false;
    if (task.startedAt !== null) return true;
    this.#state.put({ ...startedRow(task, attempt, startedAt), version: task.version + 1, updatedAt: startedAt });
    return true;
  }

  #settleOne({ key, fence, settlement }: SettleOp, now: number): SettleOutcome {
    const task = this.#state.get(key);
    if (!isHeldUnder(task, fence)) return { kind: "refused", state: this.#state.get(key)?.state ?? null };
    const settled = this.#state.put(settledRow(this.#state, task, settlement, now));
    const inRow = settlement.state !== "waiting" && settlement.startedAt !== null;
    const attempt = inRow ? null : attemptOf(task, settlement);
    if (attempt !== null) this.#state.archive(key, attempt);
    return { kind: "applied", seq: settled.seq };
  }

  #changeOne(op: ChangeOp, now: number): ChangeOutcome {
    const task = this.#state.byId(op.id);
    if (task === null || task.version !== op.version) return { kind: "refused", task };
    const attempt = op.archive ? attemptInRow(task) : null;
    if (attempt !== null) this.#state.archive(task.key, attempt);
    if (op.record !== null) this.#state.record(task.key, { ...op.record });
    if (op.signal !== null && task.state === "running" && task.node !== null) {
      this.#state.nodes.leave(task.node, { kind: op.signal, id: task.id });
    }
    return { kind: "applied", task: this.#state.put(changedRow(this.#state, task, op, now)) };
  }

  #removeOne({ id, version }: RemoveOp): RemoveOutcome {
    const task = this.#state.byId(id);
    if (task === null || task.version !== version || task.state === "running") return { kind: "refused", task };
    this.#state.delete(task, true);
    return { kind: "removed" };
  }

  #pruneSome({ now, keep, remember, limit }: PruneRequest): Awaited<ReturnType<TaskStore["prune"]>> {
    let pruned = 0;
    let forgotten = 0;
    const isOld = (task: TaskRecord | null): task is TaskRecord => task !== null && (task.endedAt ?? 0) + keep <= now;
    const isFaded = (id: RememberedId | null): id is RememberedId => id !== null && id.endedAt + remember <= now;
    for (let row = this.#state.oldestPrunable(); isOld(row) && pruned < limit; row = this.#state.oldestPrunable()) {
      this.#state.delete(row, (row.endedAt ?? 0) + remember > now);
      pruned += 1;
    }
    for (
      let id = this.#state.oldestMemory();
      isFaded(id) && pruned + forgotten < limit;
      id = this.#state.oldestMemory()
    ) {
      this.#state.forget(id.id);
      forgotten += 1;
    }
    return { pruned, forgotten, more: isOld(this.#state.oldestPrunable()) || isFaded(this.#state.oldestMemory()) };
  }
}

function closed(): GivewayError {
  return new GivewayError("ledger_closed", "the ledger is not open; open it first, or it was closed");
}
