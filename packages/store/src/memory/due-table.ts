import { EXPRESS_FROM, type QueueName, type TaskRecord } from "@giveway/kernel";
import { SortedList } from "./sorted-list.ts";

/** How many due tasks one call moves or looks at. */
export const DUE_PAGE = 1_000;

interface DueLists {
  readonly express: SortedList<TaskRecord>;
  readonly standard: SortedList<TaskRecord>;
}

const byDueTime = (a: TaskRecord, b: TaskRecord): number => a.dueAt - b.dueAt || a.key - b.key;

/** The delayed tasks of each queue, by due time; express ones apart since they are moved first. */
export class DueTable {
  readonly #queues = new Map<QueueName, DueLists>();

  add(task: TaskRecord): void {
    this.#listOf(task).add(task);
  }

  remove(task: TaskRecord): void {
    this.#listOf(task).remove(task);
  }

  /** One page of what is due at `now`, in the order in which it becomes ready. */
  due(queue: QueueName, now: number): TaskRecord[] {
    const page: TaskRecord[] = [];
    const lists = this.#queues.get(queue);
    if (lists === undefined) return page;
    for (const list of [lists.express, lists.standard]) {
      for (const task of list) {
        if (task.dueAt > now || page.length === DUE_PAGE) break;
        page.push(task);
      }
    }
    return page;
  }

  nextDueAt(queue: QueueName): number | null {
    const lists = this.#queues.get(queue);
    const heads = [lists?.express.first(), lists?.standard.first()].flatMap((task) => (task ? [task.dueAt] : []));
    return heads.length === 0 ? null : Math.min(...heads);
  }

  nextDue(): { queue: QueueName; dueAt: number }[] {
    return [...this.#queues.keys()].flatMap((queue) => {
      const dueAt = this.nextDueAt(queue);
      return dueAt === null ? [] : [{ queue, dueAt }];
    });
  }

  #listOf(task: TaskRecord): SortedList<TaskRecord> {
    let lists = this.#queues.get(task.queue);
    if (lists === undefined) {
      lists = { express: new SortedList(byDueTime), standard: new SortedList(byDueTime) };
      this.#queues.set(task.queue, lists);
    }
    return task.weight >= EXPRESS_FROM ? lists.express : lists.standard;
  }
}
