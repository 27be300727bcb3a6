import type { Context } from "../context.ts";
import { terminalText } from "../output/terminal-text.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

export const addWhy: AddCommand = (program, surroundings) => {
  program.command("why <id>").description("say why a task is where it is").action(withContext(surroundings, run));
};

async function run({ out, client }: Context, id: string): Promise<void> {
  const answer = await client.why(id);
  out.answer(answer, () => [
    out.bold(`${terminalText(id)} is ${answer.view}`),
    ...answer.reasons.map((reason) => `  ${terminalText(reason.text)} ${out.dim(`[${reason.code}]`)}`),
    ...(answer.position === undefined ? [] : [`  ${answer.position} before it`]),
    ...(answer.estimate === undefined ? [] : [`  estimated start ${answer.estimate}`]),
  ]);
}
