import { readPayload, weightArgument } from "../arguments.ts";
import type { Context } from "../context.ts";
import { taskLines } from "../output/task-lines.ts";
import { terminalText } from "../output/terminal-text.ts";
import { UsageError } from "../usage-error.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

/** Cancel, rerun, reweight, edit, remove: one task, one act, the task as it then is. */
export const addChanges: AddCommand = (program, surroundings) => {
  program
    .command("cancel <id>")
    .description("cancel a task that has not ended")
    .option("--cause <text>", "kept in the task's history")
    .action(withContext(surroundings, cancel));
  program
    .command("rerun <id>")
    .description("run a dead or cancelled task again, or a succeeded one as a new task")
    .option("--payload <json>", "with another payload: JSON, @file, or -")
    .option("--delay <duration>", "not before so long from now")
    .option("--cause <text>", "kept in the task's history")
    .action(withContext(surroundings, rerun));
  program
    .command("reweight <id> <weight>")
    .description("change a task's weight, at once")
    .action(withContext(surroundings, reweight));
  program
    .command("edit <id>")
    .description("change a task's payload, weight, due time or name")
    .option("--payload <json>", "JSON, @file, or -")
    .option("--weight <weight>", "1 to 10, or a name", weightArgument)
    .option("--run-at <instant>", "when to start (ISO 8601)")
    .option("--delay <duration>", "start so long from now")
    .option("--name <name>", "a name for people")
    .action(withContext(surroundings, edit));
  program
    .command("remove <id>")
    .description("delete a task that isn't running")
    .action(withContext(surroundings, remove));
};

async function cancel({ out, client, now }: Context, id: string, flags: { readonly cause?: string }): Promise<void> {
  const answer = await client.cancel(id, flags);
  out.answer(answer, () => taskLines(out, answer.task, now));
}

interface RerunFlags {
  readonly payload?: string;
  readonly delay?: string;
  readonly cause?: string;
}

async function rerun({ out, client, now, surroundings }: Context, id: string, flags: RerunFlags): Promise<void> {
  const { payload, ...rest } = flags;
  const answer = await client.rerun(id, {
    ...rest,
    ...(payload === undefined ? {} : { payload: await readPayload(payload, surroundings.stdin) }),
  } as Parameters<typeof client.rerun>[1]);
  out.answer(answer, () => taskLines(out, answer.task, now));
}

async function reweight({ out, client, now }: Context, id: string, weight: string): Promise<void> {
  let value: number;
  try {
    value = weightArgument(weight);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const answer = await client.edit(id, { weight: value });
  out.answer(answer, () => taskLines(out, answer.task, now));
}

interface EditFlags {
  readonly payload?: string;
  readonly weight?: number;
  readonly runAt?: string;
  readonly delay?: string;
  readonly name?: string;
}

async function edit({ out, client, now, surroundings }: Context, id: string, flags: EditFlags): Promise<void> {
  if (Object.keys(flags).length === 0)
    throw new UsageError("edit: nothing to change; give --payload, --weight, --run-at, --delay or --name");
  const { payload, ...rest } = flags;
  const answer = await client.edit(id, {
    ...rest,
    ...(payload === undefined ? {} : { payload: await readPayload(payload, surroundings.stdin) }),
  } as Parameters<typeof client.edit>[1]);
  out.answer(answer, () => taskLines(out, answer.task, now));
}

async function remove({ out, client }: Context, id: string): Promise<void> {
  await client.remove(id);
  out.answer({ removed: id }, () => [`removed ${terminalText(id)}`]);
}
