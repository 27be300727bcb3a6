import type { ClaimLane } from "@giveway/store";
import type { Cell, Row, Statement } from "../driver/driver.ts";
import { CLAIM_TYPE_WIDTH, type ClaimArgs, type ClaimReply } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import { type LaneRest, LaneSource, restOf, roomOf, serveLane, type TypeAllowance } from "./claim-lane.ts";
import { mustChange } from "./places.ts";
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
  readonly running: Statement;
  readonly drop: Statement;
  readonly bodies: Statement;
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
      tasks: describe(statements, taken),
      ...summaryOf(args.lanes, rests, nextDueAt !== null && nextDueAt <= args.now),
      nextDueAt,
    };
  };
}

function nothing(): ClaimReply {
  return { tasks: [], left: [false, false], full: [], until: [null, null], nextDueAt: null };
}

function prepareStatements({ driver }: WriteContext): ClaimStatements {
  return {
    page: driver.prepare(READY_PAGE),
    running: driver.prepare(
      `INSERT INTO running
       SELECT r.key, ?, ?, r.stream, r.weight, coalesce(s.fence, 0) + 1, coalesce(s.version, 1) + 1,
         coalesce(s.attempt, 0) + ?, r.seq, r.since, ?, ?, ?, NULL
       FROM ready r LEFT JOIN state s ON s.key = r.key
       WHERE r.stream = ? AND r.weight = ? AND r.seq > ? AND r.seq <= ? ORDER BY r.seq`,
    ),
    drop: driver.prepare("DELETE FROM ready WHERE stream = ? AND weight = ? AND seq <= ?"),
    bodies: driver.prepare(
      `SELECT t.key, t.id, t.name, t.payload, t.overrides, t.request_id, t.created_at, coalesce(s.due_at, t.due_at),
         coalesce(s.fence, 0) + 1, coalesce(s.attempt, 0), coalesce(s.failures, 0), coalesce(s.losses, 0), s.checkpoint
       FROM json_each(?) j CROSS JOIN task t ON t.key = j.value LEFT JOIN state s ON s.key = t.key`,
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
  { running, drop }: ClaimStatements,
  { now, claimNo }: ClaimArgs,
  node: number,
  source: LaneSource,
): void {
  const { started, prefetched } = source.takes;
  const count = started.length + prefetched.length;
  if (count === 0) return;
  const { stream, weight } = source.cursor;
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

/** Reads the bodies of what was taken and puts both together; the statement keeps the order of the keys. */
function describe({ bodies }: ClaimStatements, taken: readonly Taken[]): Cell[] {
  if (taken.length === 0) return [];
  const rows = bodies.all(`[${taken.map(({ row }) => row.key).join(",")}]`);
  const cells: Cell[] = [];
  for (const [index, { row, source, started }] of taken.entries()) {
    const body = rows[index] as Row;
    if (body?.[0] !== row.key) throw new Error(`task ${row.key} is ready but has no body`);
    cells.push(
      row.key,
      source.allowance.index,
      body[1] as Cell,
      body[2] as Cell,
      source.weight,
      body[3] as Cell,
      body[4] as Cell,
      body[5] as Cell,
      body[6] as Cell,
      body[7] as Cell,
      row.seq,
      row.since,
      body[8] as Cell,
      (body[9] as number) + (started ? 1 : 0),
      started ? 1 : 0,
      body[10] as Cell,
      body[11] as Cell,
      row.noPrefetch ? 1 : 0,
      body[12] as Cell,
    );
  }
  return cells;
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
