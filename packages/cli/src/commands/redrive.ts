import { createInterface } from "node:readline/promises";
import type { Bulk, BulkRun } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";
import { readPayload, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../usage-error.ts";
import { type AddCommand, withContext } from "./command-kit.ts";
import { addFilters, type FilterOptions, filterOf } from "./filters.ts";

interface RedriveFlags extends FilterOptions {
  readonly dryRun?: boolean;
  readonly rate?: number;
  readonly payload?: string;
  readonly yes?: boolean;
}

const LOOK_AGAIN_MS = 250;

export const addRedrive: AddCommand = (program, surroundings) => {
  addFilters(
    program
      .command("redrive [ids...]")
      .description("put dead letters back to work: by id, or all that match the filters"),
    { state: false },
  )
    .option("--dry-run", "only count what would be redriven")
    .option("--rate <n>", "tasks per second", wholeNumber(1, 1_000_000))
    .option("--payload <json>", "with another payload: JSON, @file, or -")
    .option("--yes", "don't ask")
    .action(withContext(surroundings, run));
};

async function run(context: Context, ids: readonly string[], flags: RedriveFlags): Promise<void> {
  const { out, client, surroundings } = context;
  const request = {
    action: "redrive",
    ...(ids.length === 0 ? { filter: filterOf(flags) } : { ids }),
    ...(flags.rate === undefined ? {} : { rate: flags.rate }),
    ...(flags.payload === undefined ? {} : { payload: await readPayload(flags.payload, surroundings.stdin) }),
  } as Omit<Bulk, "dryRun">;
  const count = await client.countBulk(request);
  if (flags.dryRun === true || count.matched === 0) {
    out.answer(count, () => [`${count.matched} dead letters match`]);
    return;
  }
  if (flags.yes !== true && !(await confirmed(context, count.matched))) return;
  const ended = await follow(context, await client.startBulk(request));
  out.answer(ended, () => [`redrove ${ended.redriven} of ${ended.matched}`]);
  if (ended.state === "failed")
    throw new GivewayError("internal", `the redrive ended early: ${ended.error ?? "no reason given"}`);
}

async function confirmed({ surroundings, out }: Context, matched: number): Promise<boolean> {
  if (surroundings.stdin.isTTY !== true)
    throw new UsageError(`redrive: ${matched} dead letters match; --yes confirms where nobody can be asked`);
  const question = createInterface({ input: surroundings.stdin, output: surroundings.stderr });
  const answer = await question.question(`Redrive ${matched} dead letters? [y/N] `);
  question.close();
  if (/^y(es)?$/i.test(answer.trim())) return true;
  out.note("nothing was redriven");
  return false;
}

/** Looks at the run until it has ended; a terminal sees it advance. */
async function follow({ client, out, surroundings }: Context, started: BulkRun): Promise<BulkRun> {
  let run = started;
  while (run.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    run = await client.bulk(run.id);
    if (out.isTerminal && !out.json) surroundings.stderr.write(`\r${run.redriven} of ${run.matched} redriven`);
  }
  if (out.isTerminal && !out.json) surroundings.stderr.write("\n");
  return run;
}
