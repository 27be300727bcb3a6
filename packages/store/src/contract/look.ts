import type { LaneOrder, QueueName, Seq, TaskId, TypeName, Weight } from "@giveway/kernel";

export interface UpcomingRequest {
  readonly queue: QueueName;
  readonly lanes: readonly LaneOrder[];
  /** Null: all types. */
  readonly types: readonly TypeName[] | null;
  readonly limit: number;
  readonly now: number;
}
export interface UpcomingTask {
  readonly id: TaskId;
  readonly type: TypeName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly seq: Seq;
  readonly since: number;
}
export interface UpcomingAnswer {
  readonly express: readonly UpcomingTask[];
  readonly standard: readonly UpcomingTask[];
}

/** Counts of one stream and base weight. */
export interface Depth {
  readonly queue: QueueName;
  readonly type: TypeName;
  readonly weight: Weight;
  readonly ready: number;
  readonly delayed: number;
  readonly running: number;
  /** `since` of its head; null where none is ready. */
  readonly oldest: number | null;
}
export interface EndedTotal {
  readonly queue: QueueName;
  readonly type: TypeName;
  readonly state: "succeeded" | "dead" | "cancelled";
  readonly count: number;
}
