import type { AgingSteps, Lane, Policy } from "@giveway/kernel";

/**
 * The order in its plainest form: a bag of tasks, searched and sorted in full at every take. It states the rules in its own words and uses
 * nothing of the kernel's but types.
 */
export interface NaiveTask {
  readonly id: number;
  readonly stream: string;
  weight: number;
  seq: number;
  since: number;
}

export interface NaiveSettings {
  policy: Policy;
  steps: AgingSteps;
}

const oneLane: readonly Policy[] = ["ladder", "strict", "fifo"];

export function naiveLane(policy: Policy, weight: number): Lane {
  if (oneLane.includes(policy)) return "standard";
  return weight >= 7 ? "express" : "standard";
}

export function naiveEffective(settings: NaiveSettings, weight: number, since: number, now: number): number {
  const waited = now > since ? now - since : 0;
  if (settings.policy === "fifo") return 0;
  if (settings.policy === "express") {
    const ceiling = weight >= 7 ? 10 : 6;
    const step = weight >= 7 ? settings.steps.express : settings.steps.standard;
    let reached = weight;
    for (let at = step; at <= waited && reached < ceiling; at += step) reached += 1;
    return reached;
  }
  if (settings.policy === "ladder") {
    let reached = weight;
    for (let at = settings.steps.standard; at <= waited && reached < 10; at += settings.steps.standard) {
      reached = [2, 5, 8, 10].find((level) => level > reached) ?? 10;
    }
    return reached;
  }
  return weight;
}

export class NaiveQueue {
  readonly tasks = new Map<number, NaiveTask>();
  readonly closed = new Set<string>();
  readonly room = new Map<string, number>();
  readonly settings: NaiveSettings;

  constructor(settings: NaiveSettings) {
    this.settings = settings;
  }

  isOpen(stream: string): boolean {
    return !this.closed.has(stream) && (this.room.get(stream) ?? 1) > 0;
  }

  /** All startable tasks of a lane, sorted by effective weight and `seq`: the order where `since` grows with `seq`. */
  sorted(lane: Lane, now: number): NaiveTask[] {
    const keyed = this.#startable(lane).map((task) => ({
      task,
      effective: naiveEffective(this.settings, task.weight, task.since, now),
    }));
    keyed.sort((one, other) => other.effective - one.effective || one.task.seq - other.task.seq);
    return keyed.map(({ task }) => task);
  }

  /** The first by the rule as it is stated for any clock: the lowest `seq` of each stream and weight, then the best of these. */
  firstByHeads(lane: Lane, now: number): NaiveTask | null {
    const heads = new Map<string, NaiveTask>();
    for (const task of this.#startable(lane)) {
      const key = `${task.weight} ${task.stream}`;
      const head = heads.get(key);
      if (head === undefined || task.seq < head.seq) heads.set(key, task);
    }
    let best: NaiveTask | null = null;
    let most = -1;
    for (const head of heads.values()) {
      const effective = naiveEffective(this.settings, head.weight, head.since, now);
      if (effective > most || (effective === most && head.seq < best!.seq)) {
        best = head;
        most = effective;
      }
    }
    return best;
  }

  take(task: NaiveTask): void {
    this.tasks.delete(task.id);
    const room = this.room.get(task.stream);
    if (room !== undefined) this.room.set(task.stream, room - 1);
  }

  sizeOf(lane: Lane): number {
    return [...this.tasks.values()].filter((task) => naiveLane(this.settings.policy, task.weight) === lane).length;
  }

  #startable(lane: Lane): NaiveTask[] {
    return [...this.tasks.values()].filter(
      (task) => naiveLane(this.settings.policy, task.weight) === lane && this.isOpen(task.stream),
    );
  }
}
