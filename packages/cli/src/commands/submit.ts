import type { Submit, Task } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";
import { listArgument, readPayload, weightArgument } from "../arguments.ts";
import type { Context } from "../context.ts";
import { taskLines } from "../output/task-lines.ts";
import { terminalText } from "../output/terminal-text.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

interface SubmitFlags {
  readonly payload?: string;
  readonly weight?: number;
  readonly delay?: string;
  readonly runAt?: string;
  readonly id?: string;
  readonly name?: string;
  readonly queue?: string;
  readonly timeout?: string;
  readonly deadline?: string;
  readonly expires?: string;
  readonly tag?: readonly string[];
  readonly requestId?: string;
  readonly onDuplicate?: "return" | "reject" | "replace";
  readonly wait?: boolean;
}

export const addSubmit: AddCommand = (program, surroundings) => {
  program
    .command("submit <type>")
    .description("submit one task")
    .option("--payload <json>", "JSON, @file, or - for standard input", "null")
    .option("--weight <weight>", "1 to 10, or low, normal, high, critical", weightArgument)
    .option("--delay <duration>", "start no sooner than this from now, such as 15m")
    .option("--run-at <instant>", "start no sooner than this instant (ISO 8601)")
    .option("--id <id>", "the task's id; a repeat of the same task is answered, not run again")
    .option("--name <name>", "a name for people")
    .option("--queue <queue>", "another queue than the type's")
    .option("--timeout <duration>", "another time-out than the type's")
    .option("--deadline <instant>", "should have ended by then")
    .option("--expires <instant>", "cancelled when not started by then")
    .option("--tag <tags>", "tags", listArgument)
    .option("--request-id <id>", "travels into the handler")
    .option("--on-duplicate <how>", "return, reject or replace")
    .option("--wait", "wait for the end; exit code 1 unless it succeeded")
    .action(withContext(surroundings, run));
};

async function run(context: Context, type: string, flags: SubmitFlags): Promise<void> {
  const { out, client, now } = context;
  const { payload = "null", tag, wait, ...rest } = flags;
  const item = {
    type,
    ...rest,
    payload: await readPayload(payload, context.surroundings.stdin),
    ...(tag === undefined ? {} : { tags: tag }),
  };
  const answer = await client.submit(item as Submit);
  if (wait !== true) {
    out.answer(answer, () => [
      answer.created
        ? `submitted ${terminalText(answer.task.id)}`
        : `known already: ${terminalText(answer.task.id)} is ${answer.task.view}`,
    ]);
    return;
  }
  const task = await untilEnded(context, answer.task);
  out.answer({ ...answer, task }, () => taskLines(out, task, now));
  if (task.state !== "succeeded") {
    throw new GivewayError(
      task.state === "dead" ? "task_dead" : "task_cancelled",
      `task ${task.id} ended ${task.state}`,
      { subject: task.id },
    );
  }
}

/** Follows the node's events until the task has ended, and looks at the task itself whenever the stream (re)connects. */
async function untilEnded({ client }: Context, submitted: Task): Promise<Task> {
  const stop = new AbortController();
  try {
    // The stream is opened first and the task read after: an end between the two is seen by one or the other.
    const events = client.events({ signal: stop.signal, recent: 1000 });
    const ended = async (): Promise<Task | null> => {
      const { task } = await client.get(submitted.id);
      return task.endedAt === null ? null : task;
    };
    const now = await ended();
    if (now !== null) return now;
    for await (const item of events) {
      if (item.kind === "event" && item.event.task !== submitted.id) continue;
      const task = await ended();
      if (task !== null) return task;
    }
    const { task } = await client.get(submitted.id);
    return task;
  } finally {
    stop.abort();
  }
}
