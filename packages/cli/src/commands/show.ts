import type { Context } from "../context.ts";
import { taskLines } from "../output/task-lines.ts";
import { jsonText, terminalText } from "../output/terminal-text.ts";
import { relativeTime } from "../output/times.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

export const addShow: AddCommand = (program, surroundings) => {
  program
    .command("show <id>")
    .description("show one task with its attempts and changes")
    .action(withContext(surroundings, run));
};

async function run({ out, client, now }: Context, id: string): Promise<void> {
  const [{ task }, history] = await Promise.all([client.get(id), client.history(id)]);
  out.answer({ task, history }, () => [
    ...taskLines(out, task, now),
    ...history.attempts.flatMap((attempt) => [
      "",
      out.bold(`attempt ${attempt.attempt}: ${attempt.outcome ?? "not ended"}`) +
        (attempt.startedAt === null ? "" : `, started ${relativeTime(attempt.startedAt, now)}`),
      ...(attempt.error === null
        ? []
        : [`  ${out.red(terminalText(`${attempt.error.name}: ${attempt.error.message}`))}`]),
      ...attempt.log.map((line) => `  ${line.at} ${line.level} ${terminalText(line.text)}`),
    ]),
    ...(history.changes.length === 0 ? [] : ["", out.bold("changes")]),
    ...history.changes.map(
      (change) =>
        `  ${change.at} ${change.kind} by ${terminalText(change.by)}: ${jsonText(change.before, 200)} → ${jsonText(change.after, 200)}`,
    ),
  ]);
}
