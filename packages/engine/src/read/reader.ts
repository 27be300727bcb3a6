import type { FindOptions, HistoryView, NextView, NodeView, Page, QueueView, TaskView, WhyView } from "../api.ts";
import type { EngineParts } from "../parts.ts";

export class Reader {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  get(id: string): Promise<TaskView | null> {
    void [this.#parts, id];
    throw new Error("not built yet");
  }
  find(options?: FindOptions): Promise<Page<TaskView>> {
    void options;
    throw new Error("not built yet");
  }
  history(id: string): Promise<HistoryView> {
    void id;
    throw new Error("not built yet");
  }
  why(id: string): Promise<WhyView> {
    void id;
    throw new Error("not built yet");
  }
  queues(): Promise<readonly QueueView[]> {
    throw new Error("not built yet");
  }
  queue(name: string): Promise<QueueView> {
    void name;
    throw new Error("not built yet");
  }
  next(queue: string, limit?: number): Promise<readonly NextView[]> {
    void [queue, limit];
    throw new Error("not built yet");
  }
  nodes(): Promise<readonly NodeView[]> {
    throw new Error("not built yet");
  }
}
