import { type HeadSource, type LaneOrder, mergeHeads, seq, type TaskRecord, type Weight } from "@giveway/kernel";
import type { UpcomingAnswer, UpcomingRequest, UpcomingTask } from "../task-store.ts";
import type { LedgerState } from "./ledger-state.ts";

/** What a claim at `now` would take, lane by lane, without taking or moving anything. */
export function upcoming(state: LedgerState, request: UpcomingRequest): UpcomingAnswer {
  const due = dueAsReady(state, request);
  const answer: Record<"express" | "standard", UpcomingTask[]> = { express: [], standard: [] };
  for (const order of request.lanes) answer[order.lane] = laneOf(state, request, order, due);
  return answer;
}

/** The page of due tasks with the places they would get. */
function dueAsReady(state: LedgerState, { queue, now }: UpcomingRequest): UpcomingTask[] {
  return state.due.due(queue, now).map((task, index) => shown(task, state.seqAhead(index + 1), now));
}

function shown(task: TaskRecord, place: number, since: number): UpcomingTask {
  const { id, type, name, weight } = task;
  return { id, type, name, weight, seq: seq(place), since };
}

function laneOf(
  state: LedgerState,
  { queue, types, limit, now }: UpcomingRequest,
  order: LaneOrder,
  due: readonly UpcomingTask[],
): UpcomingTask[] {
  const open = types ?? state.depths.typesOf(queue);
  const sources: ListSource[] = [];
  for (const type of open) {
    for (const weight of order.weights) {
      const ready = state.depths.stream(queue, type, weight)?.ready;
      const list = [...(ready ?? [])].map((task) => shown(task, task.seq ?? 0, task.since ?? 0));
      list.push(...due.filter((task) => task.type === type && task.weight === weight));
      if (list.length > 0) sources.push(new ListSource(weight, list));
    }
  }
  const found: UpcomingTask[] = [];
  mergeHeads(sources, order.ranking, now, Math.min(limit, 1000), (head) => found.push(head));
  return found;
}

class ListSource implements HeadSource<UpcomingTask> {
  readonly weight: Weight;
  readonly #list: readonly UpcomingTask[];
  #at = 0;

  constructor(weight: Weight, list: readonly UpcomingTask[]) {
    this.weight = weight;
    this.#list = list;
  }

  peek(): UpcomingTask | null {
    return this.#list[this.#at] ?? null;
  }

  advance(): void {
    this.#at += 1;
  }
}
