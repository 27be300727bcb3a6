import type { ClaimLane } from "@giveway/store";
import type { Cell, Statement } from "../driver/driver.ts";
import { CLAIM_TYPE_WIDTH, CLAIMED_MORE, CLAIMED_STARTED, type ClaimArgs, type ClaimReply } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import { type LaneRest, LaneSource, restOf, roomOf, serveLane, type TypeAllowance } from "./claim-lane.ts";
import { HAS_STATE, mustChange } from "./places.ts";
import { preparePromote } from "./promote.ts";
import { READY_PAGE, ReadyCursor, type ReadyRow } from "./ready-cursor.ts";

/** A task taken, in start order. */
interface Taken {
  readonly row: ReadyRow;
  readonly source: LaneSource;
  readonly started: boolean;
}

interface ClaimStatements {
  readonly page: Statement;
  readonly fresh: Statement;
  readonly again: Statement;
  readonly drop: Statement;
  readonly bodies: Statement;
  readonly more: Statement;
}

/**
 * # A claim
 *
 * 1. Moves what is due to ready.
 * 2. Opens a cursor on each stream and weight that the counters say is not empty, and merges their heads in exact order (kernel). A stream
 *    that is not asked for is never looked at, so what waits in it costs nothing.
 * 3. What was taken of a stream and weight are always its first rows, so one statement copies them to `running` and one deletes them from
 *    `ready`, whatever their number.
 * 4. The bodies are read by key, in one statement.
 */
export function prepareClaim(context: WriteContext): (args: ClaimArgs) => ClaimReply {
  const promote = preparePromote(context);
  const statements = prepareStatements(context);
  return (args) => {
    const node = context.nodes.live(args.node);
    const queue = context.names.queue(args.queue);
    if (node === null || queue === null) return nothing();
    const nextDueAt = promote(queue, args.now);
    const allowances = allowancesOf(context, args.types);
    const taken: Taken[] = [];
    const served = args.lanes.map((lane) => {
      const sources = openSources(context, statements, args.queue, lane, allowances);
      serveLane(lane, sources, args.now, (row, source, started) => taken.push({ row, source, started }));
      for (const source of sources) moveToRunning(context, statements, args, node, source);
      return { lane, sources };
    });
    // Only now: what a lane took may have used up a type that others left behind.
    const rests = served.map(({ lane, sources }) => restOf(lane, sources));
    return {
      ...describe(statements, taken),
      ...summaryOf(args.lanes, rests, nextDueAt !== null && nextDueAt <= args.now),
      nextDueAt,
    };
  };
}

function nothing(): ClaimReply {
  return { tasks: [], bodies: [], more: [], left: [false, false], full: [], until: [null, null], nextDueAt: null };
}

function prepareStatements({ driver }: WriteContext): ClaimStatements {
  return {
    page: driver.prepare(READY_PAGE),
    // Taken for the first time: nothing to look up.
    fresh: driver.prepare(
      `INSERT INTO running SELECT key, ?, ?, stream, weight, 1, 2, ?, seq, since, ?, ?, ?, NULL
       FROM ready WHERE stream = ? AND weight = ? AND seq > ? AND seq <= ? ORDER BY seq`,
    ),
    again: driver.prepare(
      `INSERT INTO running
       SELECT r.key, ?, ?, r.stream, r.weight, coalesce(s.fence, 0) + 1, coalesce(s.version, 1) + 1,
         coalesce(s.attempt, 0) + ?, r.seq, r.since, ?, ?, ?, NULL
       FROM ready r LEFT JOIN state s ON s.key = r.key
       WHERE r.stream = ? AND r.weight = ? AND r.seq > ? AND r.seq <= ? ORDER BY r.seq`,
    ),
    drop: driver.prepare("DELETE FROM ready WHERE stream = ? AND weight = ? AND seq <= ?"),
    bodies: driver.prepare(
      `SELECT json_group_array(json_array(t.key, t.id, t.name, t.payload, t.overrides, t.request_id, t.created_at, t.due_at))
       FROM json_each(?) j CROSS JOIN task t ON t.key = j.value`,
    ),
    more: driver.prepare(
      `SELECT key, due_at, fence + 1, attempt, failures, losses, no_prefetch, checkpoint
       FROM state WHERE key IN (SELECT value FROM json_each(?))`,
    ),
  };
}

function allowancesOf({ names, depths }: WriteContext, types: readonly Cell[]): TypeAllowance[] {
  const found: TypeAllowance[] = [];
  const seen = new Set<string>();
  for (let at = 0; at < types.length; at += CLAIM_TYPE_WIDTH) {
    const type = String(types[at]);
    if (seen.has(type)) continue;
    seen.add(type);
    let room = Number(types[at + 1]);
    const bound = types[at + 3];
    if (bound !== null) {
      let running = 0;
      for (const stream of names.streamsOf(type)) running += depths.sum(stream, "running");
      room = Math.min(room, Number(bound) - running);
    }
    const direct = types[at + 2] === null ? room : Number(types[at + 2]);
    found.push({ type, index: at / CLAIM_TYPE_WIDTH, room, direct });
  }
  return found;
}

function openSources(
  { names, depths }: WriteContext,
  { page }: ClaimStatements,
  queue: string,
  lane: ClaimLane,
  allowances: readonly TypeAllowance[],
): LaneSource[] {
  const room = roomOf(lane);
  const held: { stream: number; weight: number; waiting: number; allowance: TypeAllowance }[] = [];
  for (const allowance of allowances) {
    const stream = names.find(queue, allowance.type)?.stream;
    if (stream === undefined) continue;
    for (const weight of lane.order.weights) {
      const waiting = depths.count(stream, weight, "ready");
      if (waiting > 0) held.push({ stream, weight, waiting, allowance });
    }
  }
  const most = Math.max(0, lane.limit);
  const share = Math.ceil(most / Math.max(1, held.length));
  // One more than is taken: the head left behind is looked at too.
  return held.map(({ stream, weight, waiting, allowance }) => {
    const cursor = new ReadyCursor(page, stream, weight, share + 1, most + 1);
    return new LaneSource(cursor, allowance, waiting, room);
  });
}

function moveToRunning(
  { depths }: WriteContext,
  { fresh, again, drop }: ClaimStatements,
  { now, claimNo }: ClaimArgs,
  node: number,
  source: LaneSource,
): void {
  const { started, prefetched } = source.takes;
  const count = started.length + prefetched.length;
  if (count === 0) return;
  const { stream, weight } = source.cursor;
  const isFresh = (row: ReadyRow): boolean => row.flags === 0;
  const running = started.every(isFresh) && prefetched.every(isFresh) ? fresh : again;
  const lastStarted = started.at(-1)?.seq ?? 0;
  const last = prefetched.at(-1)?.seq ?? lastStarted;
  let moved = 0;
  if (started.length > 0) moved += running.run(node, claimNo, 1, now, now, now, stream, weight, 0, lastStarted);
  if (prefetched.length > 0) {
    moved += running.run(node, claimNo, 0, now, null, now, stream, weight, lastStarted, last);
  }
  mustChange(moved, count, "running");
  mustChange(drop.run(stream, weight, last), count, "ready");
  depths.add(stream, weight, "ready", -count);
  depths.add(stream, weight, "running", count);
}

/** Tasks whose bodies make one text: payloads may be large, and a text has a limit. */
const BODIES_A_TEXT = 500;

function describe(statements: ClaimStatements, taken: readonly Taken[]): Pick<ClaimReply, "tasks" | "bodies" | "more"> {
  const tasks: number[] = [];
  const bodies: string[] = [];
  for (let from = 0; from < taken.length; from += BODIES_A_TEXT) {
    bodies.push(String(statements.bodies.get(keyList(taken.slice(from, from + BODIES_A_TEXT)))?.[0]));
  }
  for (const { row, source, started } of taken) {
    const kind = (started ? CLAIMED_STARTED : 0) + ((row.flags & HAS_STATE) === 0 ? 0 : CLAIMED_MORE);
    tasks.push(row.key, source.allowance.index * 16 + source.weight, row.seq, row.since, kind);
  }
  return { tasks, bodies, more: describeMore(statements, taken) };
}

/** What became so far of those that were claimed before, in start order. */
function describeMore({ more }: ClaimStatements, taken: readonly Taken[]): Cell[] {
  const before = taken.filter(({ row }) => (row.flags & HAS_STATE) !== 0);
  if (before.length === 0) return [];
  const rows = new Map(more.all(keyList(before)).map(([key, ...cells]) => [key, cells]));
  return before.flatMap(({ row }) => {
    const cells = rows.get(row.key);
    if (cells === undefined) throw new Error(`task ${row.key} was claimed before but has no state`);
    return cells;
  });
}

function keyList(taken: readonly Taken[]): string {
  return `[${taken.map(({ row }) => row.key).join(",")}]`;
}

function summaryOf(
  lanes: readonly ClaimLane[],
  rests: readonly LaneRest[],
  moreDue: boolean,
): Pick<ClaimReply, "left" | "until" | "full"> {
  const left: [boolean, boolean] = [false, false];
  const until: [number | null, number | null] = [null, null];
  for (const [index, rest] of rests.entries()) {
    const at = lanes[index]?.order.lane === "express" ? 0 : 1;
    left[at] ||= rest.left || moreDue;
    const before = until[at] ?? null;
    if (rest.until !== null) until[at] = before === null ? rest.until : Math.min(before, rest.until);
  }
  const full = [...new Set(rests.flatMap((rest) => rest.full))].sort();
  return { left, until, full };
}
