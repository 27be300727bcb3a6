import type { Find } from "@giveway/api";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { taskColumns } from "../output/task-lines.ts";
import { type AddCommand, withContext } from "./command-kit.ts";
import { addFilters, type FilterOptions, filterOf } from "./filters.ts";

interface ListFlags extends FilterOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

export const addList: AddCommand = (program, surroundings) => {
  addFilters(program.command("list").description("list tasks, newest first"), { state: true })
    .option("--limit <n>", "at most so many, up to 1000", wholeNumber(1, 1000), 50)
    .option("--cursor <cursor>", "go on after a page")
    .action(withContext(surroundings, run));
};

async function run({ out, client, now }: Context, flags: ListFlags): Promise<void> {
  const { limit, cursor } = flags;
  const page = await client.find({
    ...filterOf(flags),
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  } as Find);
  out.answer(page, () => {
    const lines = out.table(taskColumns(now), page.items, "no tasks match");
    return page.nextCursor === null ? lines : [...lines, out.dim(`more: --cursor ${page.nextCursor}`)];
  });
}
