import type { Context } from "../context.ts";
import { terminalText } from "../output/terminal-text.ts";
import { UsageError } from "../usage-error.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

interface Target {
  readonly queue?: string;
  readonly type?: string;
  readonly cause?: string;
}

/** Pause and resume a queue or a type: stored in the ledger, obeyed by all nodes, kept over restarts (V-12). */
export const addPause: AddCommand = (program, surroundings) => {
  for (const [name, paused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    program
      .command(`${name} [queue]`)
      .description(paused ? "start nothing more of a queue or type" : "let a paused queue or type go on")
      .option("--queue <queue>", "the queue")
      .option("--type <type>", "the type")
      .option("--cause <text>", "kept with the change")
      .action(
        withContext(surroundings, (context, queue: string | undefined, flags: Target) =>
          run(context, paused, queue, flags),
        ),
      );
  }
};

async function run({ out, client }: Context, paused: boolean, given: string | undefined, flags: Target): Promise<void> {
  const queue = given ?? flags.queue;
  const cause = flags.cause === undefined ? {} : { cause: flags.cause };
  if ((queue === undefined) === (flags.type === undefined))
    throw new UsageError(`${paused ? "pause" : "resume"}: name one queue, or one type by --type`);
  const word = paused ? "paused" : "resumed";
  if (queue !== undefined) {
    const answer = await client.setQueue(queue, { paused, ...cause });
    out.answer(answer, () => [`${word} queue ${terminalText(queue)}`]);
  } else if (flags.type !== undefined) {
    const { type } = flags;
    const answer = await client.setType(type, { paused, ...cause });
    out.answer(answer, () => [`${word} type ${terminalText(type)}`]);
  }
}
