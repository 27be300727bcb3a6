import type {
  JsonText,
  NodeId,
  QueueName,
  Seq,
  TaskId,
  TaskKey,
  TaskOverrides,
  TaskRecord,
  TypeName,
  Weight,
} from "@giveway/kernel";

export type InsertTurn = "express" | "normal" | "bulk";

export interface NewTask {
  readonly id: TaskId;
  readonly type: TypeName;
  readonly queue: QueueName;
  readonly name: string | null;
  readonly weight: Weight;
  readonly payload: JsonText;
  readonly overrides: TaskOverrides;
  readonly requestId: string;
  readonly rerunOf: TaskId | null;
  /** ms since 1970; at or before `now` means ready at once. */
  readonly dueAt: number;
  /** Straight hand-off: when created and due, it is born claimed and started by this node (attempt 1, fence 1, version 2). */
  readonly handOff: { readonly node: NodeId; readonly claimNo: number } | null;
}

export type InsertOutcome =
  | {
      readonly kind: "created";
      readonly key: TaskKey;
      readonly seq: Seq | null;
      readonly since: number | null;
      readonly handedOff: boolean;
    }
  /** The id is known: what it stands for. The engine judges whether that is the same task. An earlier item of the same batch counts too. */
  | { readonly kind: "exists"; readonly task: TaskRecord }
  /** The id belonged to a succeeded task whose row is gone. */
  | { readonly kind: "remembered"; readonly remembered: RememberedId };

export interface RememberedId {
  readonly id: TaskId;
  readonly type: TypeName;
  /** Of the canonical payload, see `payloadHash`. */
  readonly payloadHash: string;
  readonly endedAt: number;
}
