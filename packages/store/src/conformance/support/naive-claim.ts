import { effectiveWeight, overtakenUntil, type TaskRecord } from "@giveway/kernel";
import type { ClaimLane, ClaimRequest } from "../../task-store.ts";

/** What a claim has to answer, found in the slowest and plainest way: by sorting all rows anew for each task it takes. */
export interface ExpectedClaim {
  readonly tasks: readonly { readonly id: string; readonly started: boolean }[];
  readonly left: { readonly express: boolean; readonly standard: boolean };
  readonly full: readonly string[];
  readonly overtakenUntil: { readonly express: number | null; readonly standard: number | null };
  readonly nextDueAt: number | null;
}

interface Candidate {
  readonly id: string;
  readonly type: string;
  readonly weight: TaskRecord["weight"];
  readonly place: number;
  readonly since: number;
  readonly noPrefetch: boolean;
}

const PAGE = 1_000;

export function expectedClaim(rows: readonly TaskRecord[], request: ClaimRequest): ExpectedClaim {
  const { waiting, nextDueAt } = readyRows(rows, request);
  const pool = new Set(waiting);
  const permits = permitsOf(rows, request);
  const tasks = request.lanes.flatMap((lane) => takeFrom(lane, pool, permits, request.now));
  const moreDue = nextDueAt !== null && nextDueAt <= request.now;
  const left = { express: false, standard: false };
  const until: { express: number | null; standard: number | null } = { express: null, standard: null };
  const full = new Set<string>();
  for (const { order } of request.lanes) {
    const heads = headsOf(pool, order.weights).filter(({ type }) => permits.has(type));
    for (const head of heads.filter((own) => isClosed(own, permits))) full.add(head.type);
    const open = heads.filter((own) => !isClosed(own, permits));
    left[order.lane] = moreDue || open.length > 0;
    const bounds = open.map(({ weight, since }) => overtakenUntil(order.ranking, weight, since));
    const least = Math.min(...bounds);
    until[order.lane] = Number.isFinite(least) ? least : null;
  }
  return { tasks, left, full: [...full].sort(), overtakenUntil: until, nextDueAt };
}

interface Permit {
  room: number;
  direct: number;
}

function permitsOf(rows: readonly TaskRecord[], request: ClaimRequest): Map<string, Permit> {
  return new Map(
    request.types.map(({ type, room, direct, bound }) => {
      const running = rows.filter((task) => task.state === "running" && task.type === type).length;
      const free = bound === null ? room : Math.min(room, bound - running);
      return [type, { room: free, direct: direct ?? room }];
    }),
  );
}

/** The queue's ready rows as they stand once the due ones were moved, and what is due next after that. */
function readyRows(
  rows: readonly TaskRecord[],
  { queue, now }: ClaimRequest,
): { readonly waiting: Candidate[]; readonly nextDueAt: number | null } {
  const own = rows.filter((task) => task.queue === queue && task.state === "waiting");
  const highest = Math.max(0, ...rows.map(({ seq }) => seq ?? 0));
  const delayed = own
    .filter(({ seq }) => seq === null)
    .sort((a, b) => Number(b.weight >= 7) - Number(a.weight >= 7) || a.dueAt - b.dueAt || a.key - b.key);
  const moved = delayed.filter(({ dueAt }) => dueAt <= now).slice(0, PAGE);
  const still = delayed.filter((task) => !moved.includes(task));
  const waiting = [
    ...own.filter(({ seq }) => seq !== null).map((task) => candidate(task, Number(task.seq), Number(task.since))),
    ...moved.map((task, index) => candidate(task, highest + 1 + index, now)),
  ];
  return { waiting, nextDueAt: still.length === 0 ? null : Math.min(...still.map(({ dueAt }) => dueAt)) };
}

function candidate({ id, type, weight, noPrefetch }: TaskRecord, place: number, since: number): Candidate {
  return { id, type, weight, place, since, noPrefetch };
}

function takeFrom(
  lane: ClaimLane,
  pool: Set<Candidate>,
  permits: ReadonlyMap<string, Permit>,
  now: number,
): { id: string; started: boolean }[] {
  const taken: { id: string; started: boolean }[] = [];
  const { ranking, weights } = lane.order;
  const rankOf = ({ weight, since }: Candidate): number => effectiveWeight(ranking, weight, since, now);
  let direct = Math.min(lane.limit, lane.direct);
  let prefetch = lane.limit - direct;
  for (;;) {
    const startable = headsOf(pool, weights).filter((head) => {
      const permit = permits.get(head.type);
      if (permit === undefined || isClosed(head, permits)) return false;
      return (direct > 0 && permit.direct > 0) || prefetch > 0;
    });
    const [next] = startable.sort((a, b) => rankOf(b) - rankOf(a) || a.place - b.place);
    const permit = next === undefined ? undefined : permits.get(next.type);
    if (next === undefined || permit === undefined) return taken;
    const started = direct > 0 && permit.direct > 0;
    if (!started && next.noPrefetch) return taken;
    permit.room -= 1;
    if (started) {
      permit.direct -= 1;
      direct -= 1;
    } else prefetch -= 1;
    pool.delete(next);
    taken.push({ id: next.id, started });
  }
}

/** The first of each stream and weight, by place. */
function headsOf(pool: ReadonlySet<Candidate>, weights: readonly number[]): Candidate[] {
  const heads = new Map<string, Candidate>();
  for (const task of pool) {
    if (!weights.includes(task.weight)) continue;
    const stream = `${task.weight} ${task.type}`;
    const head = heads.get(stream);
    if (head === undefined || task.place < head.place) heads.set(stream, task);
  }
  return [...heads.values()];
}

function isClosed(head: Candidate, permits: ReadonlyMap<string, Permit>): boolean {
  const permit = permits.get(head.type);
  return permit === undefined || permit.room <= 0 || (head.noPrefetch && permit.direct <= 0);
}
