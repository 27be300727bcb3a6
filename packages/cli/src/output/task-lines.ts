import type { Task } from "@giveway/api";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { jsonText, terminalText } from "./terminal-text.ts";
import { relativeTime } from "./times.ts";

/** The columns of a list of tasks. */
export function taskColumns(now: number): readonly Column<Task>[] {
  return [
    { title: "ID", value: (task) => task.id, flexible: true },
    { title: "TYPE", value: (task) => task.type, flexible: true },
    { title: "QUEUE", value: (task) => task.queue, flexible: true },
    { title: "STATE", value: (task) => task.view },
    { title: "W", value: (task) => task.weight, align: "right" },
    { title: "TRY", value: (task) => task.attempt, align: "right" },
    { title: "DUE", value: (task) => relativeTime(task.dueAt, now) },
    { title: "CREATED", value: (task) => relativeTime(task.createdAt, now) },
    { title: "NAME", value: (task) => task.name, flexible: true },
  ];
}

/** One task as a block of labelled lines. */
export function taskLines(out: Output, task: Task, now: number): readonly string[] {
  const when = (iso: string | null): string | null => (iso === null ? null : `${iso} (${relativeTime(iso, now)})`);
  const fields: readonly (readonly [label: string, value: string | null])[] = [
    ["id", task.id],
    ["name", task.name],
    ["type", task.type],
    ["queue", task.queue],
    ["state", task.state === task.view ? task.state : `${task.state} (${task.view})`],
    [
      "weight",
      task.effectiveWeight === task.weight ? `${task.weight}` : `${task.weight}, counts as ${task.effectiveWeight}`,
    ],
    ["attempt", `${task.attempt}, ${task.retries} of ${task.maxRetries ?? "?"} retries used`],
    ["request id", task.requestId],
    ["rerun of", task.rerunOf],
    ["tags", task.tags.length === 0 ? null : task.tags.join(", ")],
    ["node", task.node],
    ["created", when(task.createdAt)],
    ["due", when(task.dueAt)],
    ["started", when(task.startedAt)],
    ["ended", when(task.endedAt)],
    ["deadline", when(task.deadline)],
    ["expires", when(task.expires)],
    ["end reason", task.endReason],
    ["last error", task.lastError === null ? null : `${task.lastError.name}: ${task.lastError.message}`],
  ];
  const shown = fields.flatMap(([label, value]) => (value === null ? [] : [labelled(out, label, terminalText(value))]));
  const values: readonly (readonly [string, unknown])[] = [
    ["payload", task.payload],
    ["progress", task.progress],
    ["result", task.result],
  ];
  return [
    ...shown,
    ...values.flatMap(([label, value]) =>
      value === null && label !== "payload" ? [] : [labelled(out, label, jsonText(value))],
    ),
  ];
}

export function labelled(out: Output, label: string, text: string): string {
  return `${out.dim(label.padEnd(11))} ${text}`;
}
