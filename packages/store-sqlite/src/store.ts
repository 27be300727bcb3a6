import { GivewayError, type NodeId, type TaskId, type TaskRecord } from "@giveway/kernel";
import type {
  BeatAnswer,
  ChangeOp,
  ChangeOutcome,
  ClaimAnswer,
  ClaimRequest,
  CommitTurn,
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
} from "@giveway/store";
import { CommitPump } from "./commit-pump.ts";
import type { OpenDriver } from "./driver/driver.ts";
import { loadDriver } from "./driver/load.ts";
import { fromWire, type WireError } from "./errors.ts";
import { InlineLink } from "./link/inline-link.ts";
import { type Link, type LinkEvents, POLL } from "./link/link.ts";
import { ThreadLink } from "./link/thread-link.ts";
import { type LedgerSettings, type SqliteStoreOptions, settingsFrom } from "./options.ts";
import { attemptInRow } from "./queries/apply-change.ts";
import { recordOf } from "./queries/record.ts";
import type { GuardedAnswer, WriteAnswer, WriteArgs, WriteName } from "./wire/calls.ts";
import {
  decodeClaim,
  decodeHistory,
  decodeInserted,
  decodeNodes,
  decodeSettled,
  decodeUpcoming,
  rememberedOf,
} from "./wire/decode.ts";
import { encodeClaim, encodeInsert, encodeProgress, encodeSettle, encodeStarts } from "./wire/encode.ts";
import type { ReadAnswer, ReadArgs, ReadName } from "./wire/reads.ts";
import { BEAT, LEASE } from "./writer/lease-keeper.ts";

const FEATURES: StoreFeatures = {
  name: "sqlite",
  clock: "caller",
  wake: "poll",
  durable: true,
  lease: LEASE,
  beat: BEAT,
  poll: POLL,
};

/** ms for which a beat that meets a locked file is tried again: well within the lease. */
const BEAT_PATIENCE = 30_000;

/**
 * Makes the SQLite ledger at `options.file`; `open()` opens it. Several processes may use one file at the same time; it has to lie on a
 * local disk. Errors here: `invalid_option`. Errors of `open`: see `TaskStore.open`, and `no_such_module` where no SQLite library can be used.
 */
export function openSqliteStore(options: SqliteStoreOptions): TaskStore {
  const settings = settingsFrom(options);
  if (options.inline !== true) return new SqliteStore(settings, (events) => new ThreadLink(settings, events));
  return inlineStore(settings, () => loadDriver(settings.driver ?? undefined), options.clock);
}

/** On the calling thread, with a driver of one's own: what tests of faults go through. */
export function inlineStore(
  settings: LedgerSettings,
  open: () => OpenDriver,
  clock?: { monotonic(): number },
): TaskStore {
  const leaseNow = clock === undefined ? undefined : () => Math.floor(clock.monotonic());
  return new SqliteStore(settings, (events) => new InlineLink(open, settings, events, leaseNow));
}

/** The contract over a link: encodes, decodes, and lets the pump put commits together. */
class SqliteStore implements TaskStore {
  readonly features = FEATURES;
  readonly #settings: LedgerSettings;
  readonly #link: Link;
  readonly #pump: CommitPump;
  readonly #own = new Set<string>();
  #listener: StoreListener | null = null;
  #state: "new" | "open" | "closed" = "new";
  #failure: GivewayError | null = null;
  #pragmas: Readonly<Record<string, string | number>> = {};
  #closing: Promise<void> | null = null;

  constructor(settings: LedgerSettings, connect: (events: LinkEvents) => Link) {
    this.#settings = settings;
    this.#link = connect({ wake: () => this.#listener?.wake(), fatal: (error) => this.#fail(error) });
    this.#pump = new CommitPump(this.#link, settings.file, (operations, ms) => {
      this.#listener?.committed?.(operations, ms);
    });
  }

  listen(listener: StoreListener): void {
    this.#listener = listener;
  }

  async open(): Promise<void> {
    if (this.#state !== "new") throw this.#notOpen();
    try {
      this.#pragmas = (await this.#link.open()).pragmas;
      this.#state = "open";
    } catch (error) {
      this.#state = "closed";
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async insert(batch: readonly NewTask[], turn: InsertTurn, now: number): Promise<InsertOutcome[]> {
    const outcomes: InsertOutcome[] = [];
    if (batch.length === 0) return outcomes;
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      this.#pump.push<"insert">(
        turn,
        {
          name: "insert",
          encode: (from, to) => encodeInsert(batch, from, to, now),
          accept: (answer, last) => {
            const decoded = decodeInserted(answer, now);
            if (last && outcomes.length === 0) return resolve(decoded);
            for (const outcome of decoded) outcomes.push(outcome);
            if (last) resolve(outcomes);
          },
          reject,
        },
        batch.length,
      );
    });
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    this.#assertOpen();
    const size = request.lanes.reduce((sum, lane) => sum + Math.max(0, lane.limit), 1);
    return decodeClaim(await this.#write("claim", "claim", encodeClaim(request), size), request);
  }

  markStarted(batch: readonly StartMark[]): Promise<boolean[]> {
    return this.#write("settle", "markStarted", encodeStarts(batch), batch.length);
  }

  async settle(batch: readonly SettleOp[], now: number): Promise<SettleOutcome[]> {
    this.#assertOpen();
    const reply = await this.#write("settle", "settle", encodeSettle(batch, now), batch.length);
    return decodeSettled(reply, batch.length);
  }

  async saveProgress(batch: readonly ProgressMark[]): Promise<void> {
    await this.#write("settle", "saveProgress", encodeProgress(batch), batch.length);
  }

  async change(batch: readonly ChangeOp[], now: number): Promise<ChangeOutcome[]> {
    this.#assertOpen();
    const ops = JSON.stringify(batch);
    const answers = await this.#write("change", "change", { now, ops }, batch.length);
    return answers.map((answer) => {
      const task = recordIn(answer);
      return answer.applied && task !== null ? { kind: "applied", task } : { kind: "refused", task };
    });
  }

  async remove(batch: readonly RemoveOp[], now: number): Promise<RemoveOutcome[]> {
    const ops = batch.map(({ id, version }) => ({ id, version }));
    const answers = await this.#write("change", "remove", { now, ops }, batch.length);
    return answers.map((answer) =>
      answer.applied ? { kind: "removed" } : { kind: "refused", task: recordIn(answer) },
    );
  }

  async get(ids: readonly TaskId[]): Promise<(TaskRecord | null)[]> {
    return (await this.#read("get", ids)).map((row) => (row === null ? null : recordOf(row)));
  }

  async remembered(ids: readonly TaskId[]): Promise<(RememberedId | null)[]> {
    return (await this.#read("remembered", ids)).map((row) => (row === null ? null : rememberedOf(row)));
  }

  async find(query: FindQuery): Promise<FindPage> {
    const { rows, more } = await this.#read("find", query);
    const tasks = rows.map(recordOf);
    return { tasks, next: more ? (tasks.at(-1)?.key ?? null) : null };
  }

  async history(id: TaskId): Promise<TaskHistory | null> {
    const rows = await this.#read("history", id);
    return rows === null ? null : decodeHistory(rows, attemptInRow(recordOf(rows.task)));
  }

  async upcoming(request: UpcomingRequest): Promise<UpcomingAnswer> {
    const { express, standard } = await this.#read("upcoming", request);
    return { express: express.map(decodeUpcoming), standard: standard.map(decodeUpcoming) };
  }

  depths(): Promise<Depth[]> {
    return this.#read("depths", null);
  }

  totals(): Promise<EndedTotal[]> {
    return this.#read("totals", null);
  }

  async nextDue(): ReturnType<TaskStore["nextDue"]> {
    return (await this.#read("nextDue", null)) as Awaited<ReturnType<TaskStore["nextDue"]>>;
  }

  overrides(): Promise<SettingOverride[]> {
    return this.#read("overrides", null);
  }

  override(change: SettingOverride): Promise<SettingOverride | null> {
    return this.#write("change", "override", { ...change }, 1);
  }

  async register(node: NodeRegistration): Promise<void> {
    await this.#write("change", "register", { ...node, types: [...node.types] }, 1);
    this.#own.add(node.node);
  }

  async beat(node: NodeId, _now: number): Promise<BeatAnswer> {
    const until = performance.now() + BEAT_PATIENCE;
    for (;;) {
      try {
        return await this.#write("change", "beat", { node }, 1);
      } catch (error) {
        const busy = error instanceof GivewayError && error.code === "ledger_busy";
        if (!busy || performance.now() >= until) throw error;
      }
    }
  }

  async nodes(): Promise<NodeRecord[]> {
    return decodeNodes(await this.#read("nodes", null), this.#own);
  }

  declareDead(node: NodeId, lastBeat: number): Promise<boolean> {
    return this.#write("change", "declareDead", { node, lastBeat }, 1);
  }

  async held(node: NodeId, limit: number): Promise<TaskRecord[]> {
    return (await this.#read("held", { node, limit })).map(recordOf);
  }

  async forget(node: NodeId): Promise<void> {
    await this.#write("change", "forget", { node }, 1);
    this.#own.delete(node);
  }

  prune(request: PruneRequest): Promise<WriteAnswer<"prune">> {
    return this.#write("change", "prune", { ...request }, 1);
  }

  async backup(target: string): Promise<{ readonly bytes: number }> {
    this.#assertOpen();
    return { bytes: await this.#link.backup(target) };
  }

  check(): Promise<string[]> {
    return this.#read("check", null);
  }

  /** The settings are those of the connection that writes. */
  async info(): Promise<StoreInfo> {
    const info = await this.#read("info", null);
    return { ...info, settings: { ...info.settings, ...this.#pragmas } };
  }

  async #write<Name extends WriteName>(
    turn: CommitTurn,
    name: Name,
    args: WriteArgs<Name>,
    size: number,
  ): Promise<WriteAnswer<Name>> {
    this.#assertOpen();
    return new Promise((accept, reject) => {
      this.#pump.push<Name>(turn, { name, encode: () => args, accept, reject }, size);
    });
  }

  async #read<Name extends ReadName>(name: Name, args: ReadArgs<Name>): Promise<ReadAnswer<Name>> {
    this.#assertOpen();
    return this.#link.read(name, args);
  }

  async #close(): Promise<void> {
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    if (!wasOpen) return;
    await this.#pump.drain(this.#notOpen());
    await this.#link.close();
  }

  #fail(wire: WireError): void {
    if (this.#failure !== null) return;
    this.#failure = fromWire(wire, this.#settings.file);
    this.#pump.refuse(this.#failure);
    this.#listener?.fatal(this.#failure);
  }

  #assertOpen(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#state !== "open") throw this.#notOpen();
  }

  #notOpen(): GivewayError {
    const how = this.#state === "new" ? "is not open yet" : "is closed";
    return new GivewayError("ledger_closed", `the ledger ${this.#settings.file} ${how}`, {
      subject: this.#settings.file,
    });
  }
}

function recordIn({ row }: GuardedAnswer): TaskRecord | null {
  return row === null ? null : recordOf(row);
}
