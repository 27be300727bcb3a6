import type { RefusedAnswer, TaskKey } from "@giveway/kernel";
import type { EngineEvent } from "../ports.ts";

/** Tasks whose refused answers are remembered, the oldest forgotten first; and answers kept of each. */
const MAX_TASKS = 1_000;
const MAX_ANSWERS = 10;

/** What this node saw refused as too late, so that `why` can tell of it (C21: the double report). Connect with `hub.consume`. */
export class LateAnswers {
  readonly #answers = new Map<TaskKey, RefusedAnswer[]>();

  consume({ kind, task, at, data }: EngineEvent): void {
    if (kind !== "late_answer" || task === null) return;
    const before = this.#answers.get(task.key) ?? [];
    // Deleted and set again, so that the map's order is that of the last answer.
    this.#answers.delete(task.key);
    const answer = { at, attempt: task.attempt, outcome: data?.outcome ?? "failed" };
    this.#answers.set(task.key, [...before, answer].slice(-MAX_ANSWERS));
    if (this.#answers.size <= MAX_TASKS) return;
    for (const oldest of this.#answers.keys()) {
      this.#answers.delete(oldest);
      return;
    }
  }

  of(key: TaskKey): readonly RefusedAnswer[] {
    return this.#answers.get(key) ?? [];
  }
}
