import { type HeadSource, type LaneOrder, mergeHeads, seq, type TaskRecord, type Weight } from "@giveway/kernel";
import type { UpcomingAnswer, UpcomingRequest, UpcomingTask } from "../task-store.ts";
import type { LedgerState } from "./ledger-state.ts";
import type { SortedList } from "./sorted-list.ts";

const LARGEST_LIMIT = 1_000;

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
  const open = new Set(types ?? state.depths.typesOf(queue));
  const sources = [...open].flatMap((type) =>
    order.weights.map((weight) => {
      const ready = state.depths.stream(queue, type, weight)?.ready ?? null;
      const behind = due.filter((task) => task.type === type && task.weight === weight);
      return new UpcomingSource(weight, ready, behind);
    }),
  );
  const found: UpcomingTask[] = [];
  mergeHeads(sources, order.ranking, now, Math.min(limit, LARGEST_LIMIT), (head) => found.push(head));
  return found;
}

/** The ready tasks of one stream and weight, then those that are about to join them. */
class UpcomingSource implements HeadSource<UpcomingTask> {
  readonly weight: Weight;
  readonly #ready: SortedList<TaskRecord> | null;
  readonly #behind: readonly UpcomingTask[];
  #at = 0;

  constructor(weight: Weight, ready: SortedList<TaskRecord> | null, behind: readonly UpcomingTask[]) {
    this.weight = weight;
    this.#ready = ready;
    this.#behind = behind;
  }

  peek(): UpcomingTask | null {
    const task = this.#ready?.at(this.#at);
    if (task !== undefined) return shown(task, task.seq ?? 0, task.since ?? 0);
    return this.#behind[this.#at - (this.#ready?.length ?? 0)] ?? null;
  }

  advance(): void {
    this.#at += 1;
  }
}
