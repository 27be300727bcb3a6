import { type Fence, type NodeId, seq, type TaskKey, type TaskRecord } from "@giveway/kernel";
import type { ClaimedTask, TaskStore } from "@giveway/store";

export interface ClaimsInDoubtDeps {
  readonly store: TaskStore;
  readonly nodeId: () => NodeId;
  /** Claims, or inserts with a hand-off, are under way: their tasks would look unknown. */
  readonly busy: () => boolean;
  /** Whether this node knows of holding exactly this claim. */
  readonly knows: (key: TaskKey, fence: Fence) => boolean;
  /** How many tasks this node holds, at most. */
  readonly held: () => number;
  readonly giveBack: (tasks: readonly ClaimedTask[]) => void;
  readonly failed: (error: unknown) => void;
}

/** Tasks looked at beyond those that the node knows of. */
const BEYOND = 1_000;

/**
 * A claim whose answer got lost may have been written: its tasks would belong to a living node that doesn't know of them, for ever (D17.4). So
 * after such an answer nothing more is claimed until the node has asked the ledger what it holds, and has given back what it doesn't know.
 * It asks only while no other claim is under way; so what it doesn't know can only come from the lost one.
 */
export class ClaimsInDoubt {
  readonly #deps: ClaimsInDoubtDeps;
  #raised = false;
  #asking = false;

  constructor(deps: ClaimsInDoubtDeps) {
    this.#deps = deps;
  }

  get raised(): boolean {
    return this.#raised;
  }

  raise(): void {
    this.#raised = true;
  }

  /** Settles the doubt, if there is one and this is the moment. Answers whether claims may go on. */
  async resolve(): Promise<boolean> {
    if (!this.#raised) return true;
    if (this.#asking || this.#deps.busy()) return false;
    this.#asking = true;
    try {
      const limit = this.#deps.held() + BEYOND;
      const held = await this.#deps.store.held(this.#deps.nodeId(), limit);
      const unknown = held.filter(({ key, fence }) => !this.#deps.knows(key, fence));
      this.#deps.giveBack(unknown.map(claimedOf));
      this.#raised = held.length === limit;
      return !this.#raised;
    } catch (error) {
      this.#deps.failed(error);
      return false;
    } finally {
      this.#asking = false;
    }
  }
}

/** A held task as its claim would have brought it. */
function claimedOf(task: TaskRecord): ClaimedTask {
  return { ...task, seq: task.seq ?? seq(0), since: task.since ?? task.dueAt, started: task.startedAt !== null };
}
