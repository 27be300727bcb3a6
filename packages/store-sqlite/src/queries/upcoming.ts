import { type HeadSource, mergeHeads, type Weight } from "@giveway/kernel";
import type { UpcomingRequest } from "@giveway/store";
import type { Driver, Row, Statement } from "../driver/driver.ts";
import { DUE_PAGE } from "./promote.ts";
import { READY_PAGE, ReadyCursor, type ReadyRow } from "./ready-cursor.ts";

const LARGEST_LIMIT = 1_000;

/** id, type, name, weight, seq, since */
type UpcomingRow = Row;

interface UpcomingStatements {
  readonly page: Statement;
  readonly streams: Statement;
  readonly due: Statement;
  readonly lastSeq: Statement;
  readonly body: Statement;
}

/** One stream and weight: what is ready, then what a claim now would make ready. */
class UpcomingSource implements HeadSource<ReadyRow> {
  readonly weight: Weight;
  readonly #cursor: ReadyCursor;
  readonly #due: readonly ReadyRow[];
  #at = 0;

  constructor(cursor: ReadyCursor, due: readonly ReadyRow[]) {
    this.weight = cursor.weight as Weight;
    this.#cursor = cursor;
    this.#due = due;
  }

  peek(): ReadyRow | null {
    return this.#cursor.head() ?? this.#due[this.#at] ?? null;
  }

  advance(): void {
    if (this.#cursor.head() === null) this.#at += 1;
    else this.#cursor.advance();
  }
}

/** The next tasks of a queue in the order in which a claim at `now` would take them, without touching any. */
export function prepareUpcoming(driver: Driver): (request: UpcomingRequest) => {
  readonly express: readonly UpcomingRow[];
  readonly standard: readonly UpcomingRow[];
} {
  const statements: UpcomingStatements = {
    page: driver.prepare(READY_PAGE),
    streams: driver.prepare(
      `SELECT s.id, s.type, q.id AS queue FROM stream s JOIN queue q ON q.id = s.queue WHERE q.name = ? ORDER BY s.id`,
    ),
    due: driver.prepare(
      `SELECT key, stream, weight, flags FROM delayed WHERE queue = ? AND express = ? AND due <= ? ORDER BY due, key LIMIT ?`,
    ),
    lastSeq: driver.prepare("SELECT seq FROM sequence WHERE id = 1"),
    body: driver.prepare("SELECT t.id, s.type, t.name FROM task t JOIN stream s ON s.id = t.stream WHERE t.key = ?"),
  };
  return (request) => {
    const found: { express: UpcomingRow[]; standard: UpcomingRow[] } = { express: [], standard: [] };
    const limit = Math.min(LARGEST_LIMIT, Math.max(0, request.limit));
    const streams = statements.streams.all(request.queue);
    const queue = streams[0]?.[2];
    if (queue === undefined) return found;
    const open = streams.filter(([, type]) => request.types === null || request.types.some((name) => name === type));
    const due = dueSources(statements, Number(queue), request.now);
    for (const lane of request.lanes) {
      const sources = open.flatMap(([stream]) =>
        lane.weights.map((weight) => {
          const cursor = new ReadyCursor(
            statements.page,
            Number(stream),
            weight,
            Math.ceil(limit / open.length) + 1,
            limit + 1,
          );
          return new UpcomingSource(cursor, due.get(placeKey(Number(stream), weight)) ?? []);
        }),
      );
      mergeHeads(sources, lane.ranking, request.now, limit, ({ key, seq, since }, { weight }) => {
        const [id = null, type = null, name = null] = statements.body.get(key) ?? [];
        found[lane.lane].push([id, type, name, weight, seq, since]);
      });
    }
    return found;
  };
}

/** The page of due tasks that a claim would move, with the places it would give them. */
function dueSources({ due, lastSeq }: UpcomingStatements, queue: number, now: number): Map<number, ReadyRow[]> {
  const sources = new Map<number, ReadyRow[]>();
  let seq = Number(lastSeq.get()?.[0] ?? 0);
  let room = DUE_PAGE;
  for (const express of [1, 0]) {
    const rows = due.all(queue, express, now, room) as number[][];
    room -= rows.length;
    for (const [key = 0, stream = 0, weight = 0, flags = 0] of rows) {
      seq += 1;
      const place = placeKey(stream, weight);
      const row: ReadyRow = { key, seq, since: now, flags };
      const source = sources.get(place);
      if (source === undefined) sources.set(place, [row]);
      else source.push(row);
    }
    if (room === 0) break;
  }
  return sources;
}

function placeKey(stream: number, weight: number): number {
  return stream * 16 + weight;
}
