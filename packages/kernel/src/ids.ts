/**
 * Branded identifiers. A brand costs nothing at run time and keeps a queue's name from being passed where a type's is meant.
 */
declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** A task's public id: the caller's own, the type's derived one, or generated (time-ordered). At most 255 characters. */
export type TaskId = Branded<string, "TaskId">;
/** A type's name: what handler a task needs. */
export type TypeName = Branded<string, "TypeName">;
/** A queue's name: which bulkhead a task runs in. */
export type QueueName = Branded<string, "QueueName">;
/** One *incarnation* of a node: fresh at each start, so a restarted process never inherits its predecessor's lease (D17.1). */
export type NodeId = Branded<string, "NodeId">;
/** The ledger's own short key of a task: grows with every insert, never leaves the process. */
export type TaskKey = Branded<number, "TaskKey">;
/** Fencing token: grows at every claim; a write that carries an older one is refused (D17.2). */
export type Fence = Branded<number, "Fence">;
/** Position in the order of becoming ready: grows over the whole ledger, never a timestamp (A2). */
export type Seq = Branded<number, "Seq">;

export const taskId = (value: string): TaskId => value as TaskId;
export const typeName = (value: string): TypeName => value as TypeName;
export const queueName = (value: string): QueueName => value as QueueName;
export const nodeId = (value: string): NodeId => value as NodeId;
export const taskKey = (value: number): TaskKey => value as TaskKey;
export const fence = (value: number): Fence => value as Fence;
export const seq = (value: number): Seq => value as Seq;
