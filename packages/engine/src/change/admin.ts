import type { WeightInput } from "@giveway/kernel";
import type { Actor, EditPatch, QueuePatch, RedriveOptions, RerunOptions, TaskFilter, TaskView } from "../api.ts";
import type { EngineParts } from "../parts.ts";
import type { Submitter } from "../submit/submitter.ts";

/** Changes by people and programs. `setQueue` writes only; the composition root answers with `Reader.queue`. */
export class Admin {
  readonly #parts: EngineParts;
  readonly #submitter: Submitter;

  constructor(parts: EngineParts, submitter: Submitter) {
    this.#parts = parts;
    this.#submitter = submitter;
  }

  cancel(id: string, actor?: Actor): Promise<TaskView> {
    void [this.#parts, this.#submitter, id, actor];
    throw new Error("not built yet");
  }
  reweight(id: string, weight: WeightInput, actor?: Actor): Promise<TaskView> {
    void [id, weight, actor];
    throw new Error("not built yet");
  }
  edit(id: string, patch: EditPatch, actor?: Actor): Promise<TaskView> {
    void [id, patch, actor];
    throw new Error("not built yet");
  }
  rerun(id: string, options?: RerunOptions): Promise<{ readonly task: TaskView; readonly created: boolean }> {
    void [id, options];
    throw new Error("not built yet");
  }
  remove(id: string, actor?: Actor): Promise<void> {
    void [id, actor];
    throw new Error("not built yet");
  }
  redrive(
    filter: TaskFilter & { readonly ids?: readonly string[] },
    options?: RedriveOptions,
  ): Promise<{ readonly matched: number; readonly redriven: number }> {
    void [filter, options];
    throw new Error("not built yet");
  }
  pause(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void> {
    void [target, actor];
    throw new Error("not built yet");
  }
  resume(target: { readonly queue: string } | { readonly type: string }, actor?: Actor): Promise<void> {
    void [target, actor];
    throw new Error("not built yet");
  }
  setQueue(name: string, patch: QueuePatch): Promise<void> {
    void [name, patch];
    throw new Error("not built yet");
  }
  /** Ends redrives that wait for their rate; they reject with `stopped`. */
  close(): void {
    throw new Error("not built yet");
  }
}
