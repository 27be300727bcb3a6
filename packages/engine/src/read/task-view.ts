import type { TaskRecord } from "@giveway/kernel";
import type { TaskView } from "../api.ts";
import type { EngineParts } from "../parts.ts";

/** A task as people see it at `now`. */
export function taskView(parts: EngineParts, task: TaskRecord, now: number): TaskView {
  void [parts, task, now];
  throw new Error("not built yet");
}
