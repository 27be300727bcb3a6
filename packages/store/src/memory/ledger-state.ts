import {
  type AttemptRecord,
  type ChangeRecord,
  canonicalJson,
  type NodeId,
  payloadHash,
  type Seq,
  seq,
  type TaskId,
  type TaskKey,
  type TaskRecord,
  taskKey,
} from "@giveway/kernel";
import type { RememberedId } from "../task-store.ts";
import { DepthTable, standingOf } from "./depth-table.ts";
import { DueTable } from "./due-table.ts";
import { NodeTable } from "./node-table.ts";
import { SettingTable } from "./setting-table.ts";
import { SortedList } from "./sorted-list.ts";

const byEnd = (a: TaskRecord, b: TaskRecord): number => (a.endedAt ?? 0) - (b.endedAt ?? 0) || a.key - b.key;
const byMemory = (a: Remembered, b: Remembered): number => a.endedAt - b.endedAt || a.key - b.key;

/** Rows keep their key as memories, so that two that ended in the same ms still have an order. */
interface Remembered extends RememberedId {
  readonly key: TaskKey;
}

interface Past {
  readonly attempts: AttemptRecord[];
  readonly changes: ChangeRecord[];
}

/**
 * All that the ledger holds. Rows are immutable values: a write puts a new row in the place of the old one through `put`, which moves it
 * between the indexes and counters by comparing the two, so that no write can forget one.
 */
export class LedgerState {
  readonly depths = new DepthTable();
  readonly due = new DueTable();
  readonly nodes = new NodeTable();
  readonly settings = new SettingTable();
  readonly #tasks = new Map<TaskKey, TaskRecord>();
  readonly #keys = new Map<TaskId, TaskKey>();
  readonly #past = new Map<TaskKey, Past>();
  readonly #prunable = new SortedList(byEnd);
  readonly #remembered = new Map<TaskId, Remembered>();
  readonly #memories = new SortedList(byMemory);
  readonly #held = new Map<NodeId, Set<TaskKey>>();
  #lastKey = 0;
  #lastSeq = 0;

  nextKey(): TaskKey {
    this.#lastKey += 1;
    return taskKey(this.#lastKey);
  }

  nextSeq(): Seq {
    this.#lastSeq += 1;
    return seq(this.#lastSeq);
  }

  /** The place that the n-th newly ready task from now on will get. */
  seqAhead(n: number): Seq {
    return seq(this.#lastSeq + n);
  }

  get(key: TaskKey): TaskRecord | null {
    return this.#tasks.get(key) ?? null;
  }

  byId(id: TaskId): TaskRecord | null {
    const key = this.#keys.get(id);
    return key === undefined ? null : this.get(key);
  }

  put(task: TaskRecord): TaskRecord {
    const before = this.#tasks.get(task.key);
    if (before !== undefined) this.#unindex(before);
    this.#tasks.set(task.key, task);
    this.#keys.set(task.id, task.key);
    this.#index(task);
    return task;
  }

  /** Deletes a row with its history; the id of a succeeded one is remembered where asked. */
  delete(task: TaskRecord, remember: boolean): void {
    this.#unindex(task);
    this.#tasks.delete(task.key);
    this.#keys.delete(task.id);
    this.#past.delete(task.key);
    if (remember && task.state === "succeeded") this.#rememberIdOf(task);
  }

  archive(key: TaskKey, attempt: AttemptRecord): void {
    this.#pastOf(key).attempts.push(attempt);
  }

  record(key: TaskKey, change: ChangeRecord): void {
    this.#pastOf(key).changes.push(change);
  }

  past(key: TaskKey): { readonly attempts: readonly AttemptRecord[]; readonly changes: readonly ChangeRecord[] } {
    return this.#past.get(key) ?? { attempts: [], changes: [] };
  }

  remembered(id: TaskId): RememberedId | null {
    const found = this.#remembered.get(id);
    if (found === undefined) return null;
    return { id: found.id, type: found.type, payloadHash: found.payloadHash, endedAt: found.endedAt };
  }

  oldestMemory(): RememberedId | null {
    return this.#memories.first() ?? null;
  }

  forget(id: TaskId): void {
    const found = this.#remembered.get(id);
    if (found === undefined) return;
    this.#remembered.delete(id);
    this.#memories.remove(found);
  }

  /** The row that retention would delete first. */
  oldestPrunable(): TaskRecord | null {
    return this.#prunable.first() ?? null;
  }

  holds(node: NodeId): boolean {
    return (this.#held.get(node)?.size ?? 0) > 0;
  }

  heldBy(node: NodeId): TaskRecord[] {
    const keys = [...(this.#held.get(node) ?? [])].sort((a, b) => a - b);
    return keys.flatMap((key) => this.#tasks.get(key) ?? []);
  }

  /** Every row by key, oldest first. */
  all(): IterableIterator<TaskRecord> {
    return this.#tasks.values();
  }

  /** UTF-16 units of the texts that rows hold: about what they take. */
  textSize(): number {
    let size = 0;
    for (const task of this.#tasks.values()) size += task.id.length + task.payload.length + (task.result?.length ?? 0);
    return size;
  }

  #index(task: TaskRecord): void {
    this.depths.add(task);
    const standing = standingOf(task);
    if (standing === "delayed") this.due.add(task);
    if (standing === "succeeded" || standing === "cancelled") this.#prunable.add(task);
    if (standing === "running" && task.node !== null) this.#heldKeys(task.node).add(task.key);
  }

  #unindex(task: TaskRecord): void {
    this.depths.remove(task);
    const standing = standingOf(task);
    if (standing === "delayed") this.due.remove(task);
    if (standing === "succeeded" || standing === "cancelled") this.#prunable.remove(task);
    if (standing === "running" && task.node !== null) this.#release(task.node, task.key);
  }

  #heldKeys(node: NodeId): Set<TaskKey> {
    let keys = this.#held.get(node);
    if (keys === undefined) {
      keys = new Set();
      this.#held.set(node, keys);
    }
    return keys;
  }

  #release(node: NodeId, key: TaskKey): void {
    const keys = this.#heldKeys(node);
    keys.delete(key);
    if (keys.size === 0) this.#held.delete(node);
  }

  #pastOf(key: TaskKey): Past {
    let past = this.#past.get(key);
    if (past === undefined) {
      past = { attempts: [], changes: [] };
      this.#past.set(key, past);
    }
    return past;
  }

  #rememberIdOf(task: TaskRecord): void {
    const { key, id, type } = task;
    const hash = payloadHash(canonicalJson(task.payload));
    const memory: Remembered = { key, id, type, payloadHash: hash, endedAt: task.endedAt ?? 0 };
    this.#remembered.set(id, memory);
    this.#memories.add(memory);
  }
}
