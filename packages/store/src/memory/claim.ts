import {
  type HeadSource,
  type Lane,
  type LaneOrder,
  mergeHeads,
  type NodeId,
  overtakenUntil,
  type QueueName,
  type TaskRecord,
  type TypeName,
} from "@giveway/kernel";
import type { ClaimAnswer, ClaimedTask, ClaimLane, ClaimRequest, OpenType } from "../task-store.ts";
import type { Stream } from "./depth-table.ts";
import type { LedgerState } from "./ledger-state.ts";
import { claimedRow, claimedTask, placeAnew } from "./rows.ts";

/** A ready row: its place is set. */
export interface ReadyRow {
  readonly task: TaskRecord;
  readonly seq: number;
  readonly since: number;
}

/** Moves one page of what is due to ready. Its version stays: nothing that was decided on it has become wrong. */
export function moveDue(state: LedgerState, queue: QueueName, now: number): void {
  for (const task of state.due.due(queue, now)) state.put({ ...task, ...placeAnew(state, now) });
}

/** The ready work of one stream and weight as the merge sees it; a permit closes it when it is used up. */
class StreamSource implements HeadSource<ReadyRow> {
  readonly weight: Stream["weight"];
  readonly stream: Stream;
  readonly #isOpen: (head: TaskRecord) => boolean;
  #at = 0;

  constructor(stream: Stream, isOpen: (head: TaskRecord) => boolean) {
    this.stream = stream;
    this.weight = stream.weight;
    this.#isOpen = isOpen;
  }

  peek(): ReadyRow | null {
    const task = this.stream.ready.at(this.#at);
    if (task === undefined || !this.#isOpen(task)) return null;
    return { task, seq: task.seq ?? 0, since: task.since ?? 0 };
  }

  advance(): void {
    this.#at += 1;
  }
}

/** What one type may still take in this claim, shared by the lanes. */
class Permit {
  room: number;
  /** How many may still start at once. */
  direct: number;

  constructor(open: OpenType, running: number) {
    this.room = Math.max(0, Math.min(open.room, open.bound === null ? open.room : open.bound - running));
    this.direct = open.direct ?? open.room;
  }

  /** Whether a head of the type can't be taken whatever the lanes have left: its stream is closed, and others may pass. */
  isClosedFor(head: TaskRecord): boolean {
    return this.room <= 0 || (head.noPrefetch && this.direct <= 0);
  }
}

/** Takes a claim's tasks lane by lane in exact start order; see `ClaimRequest` and `ClaimLane` for every rule. */
export function claim(state: LedgerState, request: ClaimRequest): ClaimAnswer {
  const { queue, now, node } = request;
  const nothing = { tasks: [], left: { express: false, standard: false }, full: [] };
  if (!state.nodes.isAlive(node)) {
    return { ...nothing, overtakenUntil: { express: null, standard: null }, nextDueAt: null };
  }
  moveDue(state, queue, now);
  const permits = new Map(
    request.types.map((open) => [open.type, new Permit(open, state.depths.runningOf(open.type))]),
  );
  const tasks = request.lanes.flatMap((lane) => takeLane(state, request, lane, permits));
  const nextDueAt = state.due.nextDueAt(queue);
  const moreDue = nextDueAt !== null && nextDueAt <= now;
  const left = { express: false, standard: false };
  const until: Record<Lane, number | null> = { express: null, standard: null };
  for (const { order } of request.lanes) {
    const heads = headsLeft(state, queue, order, permits);
    left[order.lane] = moreDue || heads.length > 0;
    until[order.lane] = earliest(heads, order);
  }
  return { tasks, left, full: fullTypes(state, request, permits), overtakenUntil: until, nextDueAt };
}

function takeLane(
  state: LedgerState,
  { queue, node, now }: ClaimRequest,
  lane: ClaimLane,
  permits: ReadonlyMap<TypeName, Permit>,
): ClaimedTask[] {
  let direct = lane.direct;
  let prefetch = Math.max(0, lane.limit - lane.direct);
  let ended = false;
  const startsAtOnce = (permit: Permit): boolean => direct > 0 && permit.direct > 0;
  const picked: { readonly task: TaskRecord; readonly starts: boolean }[] = [];
  const sources = streamsOf(state, queue, lane.order, permits).map(
    ({ stream, permit }) =>
      new StreamSource(stream, (head) => !permit.isClosedFor(head) && (startsAtOnce(permit) || prefetch > 0)),
  );
  mergeHeads(sources, lane.order.ranking, now, lane.limit, ({ task }) => {
    const permit = permits.get(task.type);
    if (permit === undefined || ended) return;
    const starts = startsAtOnce(permit);
    if (!starts && task.noPrefetch) {
      ended = true;
      prefetch = 0;
      direct = 0;
      return;
    }
    permit.room -= 1;
    if (starts) {
      direct -= 1;
      permit.direct -= 1;
    } else prefetch -= 1;
    picked.push({ task, starts });
  });
  return picked.map(({ task, starts }) => take(state, task, node, now, starts));
}

function take(state: LedgerState, task: TaskRecord, node: NodeId, now: number, starts: boolean): ClaimedTask {
  return claimedTask(state.put(claimedRow(task, node, now, starts)));
}

function streamsOf(
  state: LedgerState,
  queue: QueueName,
  order: LaneOrder,
  permits: ReadonlyMap<TypeName, Permit>,
): { readonly stream: Stream; readonly permit: Permit }[] {
  const found: { stream: Stream; permit: Permit }[] = [];
  for (const [type, permit] of permits) {
    for (const weight of order.weights) {
      const stream = state.depths.stream(queue, type, weight);
      if (stream !== null && stream.ready.length > 0) found.push({ stream, permit });
    }
  }
  return found;
}

function headsLeft(
  state: LedgerState,
  queue: QueueName,
  order: LaneOrder,
  permits: ReadonlyMap<TypeName, Permit>,
): TaskRecord[] {
  return streamsOf(state, queue, order, permits).flatMap(({ stream, permit }) => {
    const head = stream.ready.first();
    return head === undefined || permit.isClosedFor(head) ? [] : [head];
  });
}

function earliest(heads: readonly TaskRecord[], order: LaneOrder): number | null {
  if (heads.length === 0) return null;
  const least = Math.min(...heads.map((head) => overtakenUntil(order.ranking, head.weight, head.since ?? 0)));
  return Number.isFinite(least) ? least : null;
}

function fullTypes(state: LedgerState, request: ClaimRequest, permits: ReadonlyMap<TypeName, Permit>): TypeName[] {
  const weights = request.lanes.flatMap(({ order }) => order.weights);
  const full = [...permits].flatMap(([type, permit]) => {
    const heads = weights.flatMap((weight) => state.depths.stream(request.queue, type, weight)?.ready.first() ?? []);
    return heads.some((head) => permit.isClosedFor(head)) ? [type] : [];
  });
  return full.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
