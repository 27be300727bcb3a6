import type { Command } from "commander";
import { listArgument } from "../arguments.ts";

export interface FilterOptions {
  readonly state?: readonly string[];
  readonly type?: readonly string[];
  readonly queue?: readonly string[];
  readonly weight?: readonly string[];
  readonly tag?: readonly string[];
  readonly text?: string;
}

/** The filters of `list` and `redrive`: the same names as over HTTP, each repeatable or comma-separated. */
export function addFilters(command: Command, options: { readonly state: boolean }): Command {
  if (options.state)
    command.option("--state <states>", "stored or view states, such as waiting,retrying,dead", listArgument);
  return command
    .option("--type <types>", "task types", listArgument)
    .option("--queue <queues>", "queues", listArgument)
    .option("--weight <weights>", "weights, numbers or names", listArgument)
    .option("--tag <tags>", "tags", listArgument)
    .option("--text <text>", "contained in id, name, payload or last error");
}

/** The filters as the HTTP face takes them. */
export function filterOf(options: FilterOptions) {
  const { state, type, queue, weight, tag, text } = options;
  return {
    ...(state === undefined ? {} : { state: state as never }),
    ...(type === undefined ? {} : { type }),
    ...(queue === undefined ? {} : { queue }),
    ...(weight === undefined ? {} : { weight: weight.map((one) => (/^\d+$/.test(one) ? Number(one) : one)) as never }),
    ...(tag === undefined ? {} : { tag }),
    ...(text === undefined ? {} : { text }),
  };
}
