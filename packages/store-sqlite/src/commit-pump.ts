import type { GivewayError } from "@giveway/kernel";
import { CommitQueue, type CommitTurn } from "@giveway/store";
import { fromWire } from "./errors.ts";
import type { WriteAnswer, WriteArgs, WriteCall, WriteName } from "./wire/calls.ts";
import type { CommitReply } from "./writer/writer.ts";

/** A write that waits for its commit. Only bulk inserts are sent in several parts; their answers are joined by the caller's `accept`. */
export interface PendingWrite<Name extends WriteName = WriteName> {
  readonly name: Name;
  encode(from: number, to: number): WriteArgs<Name>;
  accept(answer: WriteAnswer<Name>, last: boolean): void;
  reject(error: Error): void;
}

export interface PumpTarget {
  commit(calls: readonly WriteCall[]): Promise<CommitReply>;
}

/**
 * Group commit on the caller's side: while one commit is under way everything that comes in waits, and then goes out together, in the
 * order of turns of `CommitQueue`. A commit is put together right after the present turn of the event loop (no timer), so that all that one
 * turn brings, such as a settlement and the claim that follows it, shares a commit.
 */
export class CommitPump {
  readonly #target: PumpTarget;
  readonly #subject: string;
  readonly #committed: (operations: number, ms: number) => void;
  readonly #queue = new CommitQueue<PendingWrite>();
  #scheduled = false;
  #busy = false;
  #refusal: GivewayError | null = null;
  #idle: (() => void)[] = [];

  constructor(target: PumpTarget, subject: string, committed: (operations: number, ms: number) => void) {
    this.#target = target;
    this.#subject = subject;
    this.#committed = committed;
  }

  push<Name extends WriteName>(turn: CommitTurn, write: PendingWrite<Name>, size: number): void {
    if (this.#refusal !== null) {
      write.reject(this.#refusal);
      return;
    }
    this.#queue.enqueue(turn, write as unknown as PendingWrite, size);
    this.#schedule();
  }

  /** Refuses everything from now on with this error; what waits gets it too. */
  refuse(error: GivewayError): void {
    this.#refusal ??= error;
    for (const write of this.#queue.clear()) write.reject(this.#refusal);
    this.#settleIdle();
  }

  /** Takes no further write, and resolves once those that wait are committed. */
  drain(refusal: GivewayError): Promise<void> {
    this.#refusal ??= refusal;
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#settleIdle();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#commitNext();
    });
  }

  async #commitNext(): Promise<void> {
    const parts = this.#queue.nextBatch();
    if (parts.length === 0) return this.#settleIdle();
    this.#busy = true;
    let operations = 0;
    const calls = parts.map(({ call, from, to }) => {
      operations += to - from;
      return { name: call.name, args: call.encode(from, to) } as WriteCall;
    });
    try {
      const { results, ms } = await this.#target.commit(calls);
      this.#busy = false;
      for (const [index, { call, last }] of parts.entries()) {
        const result = results[index];
        if (result?.ok === true) call.accept(result.answer as never, last);
        else if (result !== undefined) this.#reject(call, fromWire(result.error, this.#subject));
      }
      this.#committed(operations, ms);
    } catch (error) {
      this.#busy = false;
      for (const { call } of parts) this.#reject(call, error as Error);
    }
    if (this.#queue.calls > 0) this.#schedule();
    else this.#settleIdle();
  }

  /** The rest of a bulk call is not tried any more once a part of it failed. */
  #reject(call: PendingWrite, error: Error): void {
    this.#queue.withdraw(call);
    call.reject(error);
  }

  #settleIdle(): void {
    if (this.#busy || this.#scheduled || this.#queue.calls > 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}
