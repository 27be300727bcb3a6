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
import { attemptInRow } from "./attempt.ts";
import { check } from "./check.ts";
import { claim } from "./claim.ts";
import { find } from "./find.ts";
import type { StoreMethod } from "./hooks.ts";
import type { LedgerState } from "./ledger-state.ts";
import type { MemoryStoreOptions } from "./memory-ledger.ts";
import { upcoming } from "./upcoming.ts";
import { changeOne, insertOne, keepProgress, prune, removeOne, settleOne, startOne } from "./writes.ts";

/** What a connection has of its ledger. */
export interface MemoryConnection {
  readonly state: LedgerState;
  readonly connection: number;
  readonly options: MemoryStoreOptions;
  isProvenDead(node: NodeId): boolean;
  opened(store: MemoryStore): void;
  closed(store: MemoryStore): void;
  /** Something was written that others want to know. */
  wrote(by: MemoryStore): void;
}

const never = (): boolean => false;
const always = (): boolean => true;
const some =
  <Outcome extends { readonly kind: string }>(kind: Outcome["kind"]) =>
  (outcomes: readonly Outcome[]): boolean =>
    outcomes.some((outcome) => outcome.kind === kind);

/** The reference implementation of the store contract: every rule in its simplest form. */
export class MemoryStore implements TaskStore {
  readonly features: StoreFeatures;
  readonly #ledger: MemoryConnection;
  readonly #state: LedgerState;
  #listener: StoreListener | null = null;
  #phase: "new" | "open" | "closed" = "new";
  #waking = false;

  constructor(ledger: MemoryConnection) {
    this.#ledger = ledger;
    this.#state = ledger.state;
    const { lease = 15_000, beat = 3_000, poll = 1_000 } = ledger.options;
    this.features = { name: "memory", clock: "caller", wake: "notify", durable: false, lease, beat, poll };
  }

  async open(): Promise<void> {
    if (this.#phase === "closed") throw notOpen();
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

  /** Passes others' news on, once for all that came in this turn. */
  wake(): void {
    if (this.#waking) return;
    this.#waking = true;
    void Promise.resolve().then(() => {
      this.#waking = false;
      if (this.#phase === "open") this.#listener?.wake();
    });
  }

  insert(batch: readonly NewTask[], turn: InsertTurn, now: number): Promise<InsertOutcome[]> {
    const work = () => batch.map((task) => insertOne(this.#state, task, now));
    return this.#write("insert", [batch, turn, now], batch.length, work, some("created"));
  }

  /** One that moved and took nothing is no news: else two idle nodes would wake each other for ever. */
  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    let moves = false;
    const work = () => {
      const dueAt = this.#state.due.nextDueAt(request.queue);
      moves = dueAt !== null && dueAt <= request.now;
      return claim(this.#state, request);
    };
    return this.#write("claim", [request], 1, work, ({ tasks }) => moves || tasks.length > 0);
  }

  markStarted(batch: readonly StartMark[]): Promise<boolean[]> {
    const work = () => batch.map((mark) => startOne(this.#state, mark));
    return this.#write("markStarted", [batch], batch.length, work, never);
  }

  settle(batch: readonly SettleOp[], now: number): Promise<SettleOutcome[]> {
    const work = () => batch.map((op) => settleOne(this.#state, op, now));
    return this.#write("settle", [batch, now], batch.length, work, some("applied"));
  }

  saveProgress(batch: readonly ProgressMark[]): Promise<void> {
    const work = () => {
      for (const mark of batch) keepProgress(this.#state, mark);
    };
    return this.#write("saveProgress", [batch], batch.length, work, never);
  }

  change(batch: readonly ChangeOp[], now: number): Promise<ChangeOutcome[]> {
    const work = () => batch.map((op) => changeOne(this.#state, op, now));
    return this.#write("change", [batch, now], batch.length, work, some("applied"));
  }

  remove(batch: readonly RemoveOp[], now: number): Promise<RemoveOutcome[]> {
    const work = () => batch.map((op) => removeOne(this.#state, op));
    return this.#write("remove", [batch, now], batch.length, work, some("removed"));
  }

  get(ids: readonly TaskId[]): Promise<(TaskRecord | null)[]> {
    return this.#call("get", [ids], () => ids.map((id) => this.#state.byId(id)));
  }

  remembered(ids: readonly TaskId[]): Promise<(RememberedId | null)[]> {
    return this.#call("remembered", [ids], () => ids.map((id) => this.#state.remembered(id)));
  }

  find(query: FindQuery): Promise<FindPage> {
    return this.#call("find", [query], () => find(this.#state, query));
  }

  history(id: TaskId): Promise<TaskHistory | null> {
    return this.#call("history", [id], () => {
      const task = this.#state.byId(id);
      if (task === null) return null;
      const { attempts, changes } = this.#state.past(task.key);
      const present = attemptInRow(task);
      return { task, attempts: present === null ? [...attempts] : [...attempts, present], changes: [...changes] };
    });
  }

  upcoming(request: UpcomingRequest): Promise<UpcomingAnswer> {
    return this.#call("upcoming", [request], () => upcoming(this.#state, request));
  }

  depths(): Promise<Depth[]> {
    return this.#call("depths", [], () => this.#state.depths.depths());
  }

  totals(): Promise<EndedTotal[]> {
    return this.#call("totals", [], () => this.#state.depths.totals());
  }

  nextDue(): ReturnType<TaskStore["nextDue"]> {
    return this.#call("nextDue", [], () => this.#state.due.nextDue());
  }

  overrides(): Promise<SettingOverride[]> {
    return this.#call("overrides", [], () => this.#state.settings.all());
  }

  override(change: SettingOverride): Promise<SettingOverride | null> {
    return this.#write("override", [change], 1, () => this.#state.settings.set(change), always);
  }

  register(node: NodeRegistration): Promise<void> {
    const work = () => this.#state.nodes.register(node, this.#ledger.connection);
    return this.#write("register", [node], 1, work, always);
  }

  beat(node: NodeId, now: number): Promise<BeatAnswer> {
    return this.#write("beat", [node, now], 1, () => this.#state.nodes.beat(node, now), never);
  }

  nodes(): Promise<NodeRecord[]> {
    return this.#call("nodes", [], () =>
      [...this.#state.nodes.all()].map(({ registration, connection, startedAt, lastBeat, declaredDead }) => ({
        node: registration.node,
        label: registration.label,
        release: registration.release,
        types: registration.types,
        startedAt,
        lastBeat,
        clock: this.#state.nodes.clock,
        lease: registration.lease,
        declaredDead,
        provenDead: this.#ledger.isProvenDead(registration.node),
        self: connection === this.#ledger.connection,
      })),
    );
  }

  declareDead(node: NodeId, lastBeat: number): Promise<boolean> {
    const work = () => this.#state.nodes.declareDead(node, lastBeat);
    return this.#write("declareDead", [node, lastBeat], 1, work, (dead) => dead);
  }

  held(node: NodeId, limit: number): Promise<TaskRecord[]> {
    return this.#call("held", [node, limit], () => this.#state.heldBy(node).slice(0, limit));
  }

  forget(node: NodeId): Promise<void> {
    const work = () => {
      if (!this.#state.holds(node)) this.#state.nodes.forget(node);
    };
    return this.#write("forget", [node], 1, work, never);
  }

  prune(request: PruneRequest): ReturnType<TaskStore["prune"]> {
    return this.#write("prune", [request], 1, () => prune(this.#state, request), never);
  }

  backup(target: string): Promise<{ readonly bytes: number }> {
    return this.#call("backup", [target], () => {
      throw new GivewayError("invalid_option", "backup: a ledger in memory has no file to copy", { field: "target" });
    });
  }

  check(): Promise<string[]> {
    return this.#call("check", [], () => check(this.#state));
  }

  info(): Promise<StoreInfo> {
    return this.#call("info", [], () => ({
      location: "memory",
      schemaVersion: 1,
      engineVersion: "memory",
      bytes: this.#state.textSize(),
      settings: {},
    }));
  }

  /** A call that may write; `isNews` tells from its answer whether others are woken. */
  #write<Answer>(
    method: StoreMethod,
    args: readonly unknown[],
    operations: number,
    work: () => Answer,
    isNews: (answer: Answer) => boolean,
  ): Promise<Answer> {
    return this.#call(method, args, () => {
      const answer = work();
      this.#listener?.committed?.(operations, 0);
      if (isNews(answer)) this.#ledger.wrote(this);
      return answer;
    });
  }

  /** Carries a call out between its hooks. Without hooks that is at once, so calls take effect in the order in which they are made. */
  async #call<Answer>(method: StoreMethod, args: readonly unknown[], work: () => Answer): Promise<Answer> {
    const { before, after } = this.#ledger.options;
    this.#assertOpen();
    if (before !== undefined) {
      await before({ method, args });
      this.#assertOpen();
    }
    const answer = work();
    if (after !== undefined) await after({ method, args });
    return answer;
  }

  #assertOpen(): void {
    if (this.#phase !== "open") throw notOpen();
  }
}

function notOpen(): GivewayError {
  return new GivewayError("ledger_closed", "the ledger is not open; open it first, or it was closed");
}
