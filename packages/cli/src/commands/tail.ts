import type { TaskEvent } from "@giveway/api";
import type { Context } from "../context.ts";
import { jsonText, terminalText } from "../output/terminal-text.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

export const addTail: AddCommand = (program, surroundings) => {
  program
    .command("tail")
    .description("follow what happens, one line per event; with --json one JSON document per line")
    .action(withContext(surroundings, run));
};

async function run({ out, client }: Context): Promise<void> {
  for await (const item of client.events()) {
    if (item.kind === "open") continue;
    if (item.kind === "gap") out.note(`(${item.missed} events were missed)`);
    else out.line(out.json ? JSON.stringify(item.event) : eventLine(item.event));
  }
}

function eventLine(event: TaskEvent): string {
  const what = [event.queue, event.type, event.task, event.name]
    .filter((part) => part !== null)
    .map((part) => terminalText(part));
  return `${event.at} ${event.kind.padEnd(10)} ${what.join(" ")} ${jsonText(event.data, 300)}`;
}
