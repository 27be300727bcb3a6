import type { Context } from "../context.ts";
import { nonEmpty } from "../context.ts";
import { terminalText } from "../output/terminal-text.ts";
import { DEFAULT_DB } from "../serve/settings.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

export const addBackup: AddCommand = (program, surroundings) => {
  program
    .command("backup <target>")
    .description("copy the ledger to a new file, consistent even while a server writes to it")
    .option("--db <url>", "the ledger (default GIVEWAY_DB, else sqlite:./data/giveway.db)")
    .action(withContext(surroundings, run));
};

async function run({ out, surroundings }: Context, target: string, flags: { readonly db?: string }): Promise<void> {
  const { openLedger } = await import("giveway");
  const store = openLedger(flags.db ?? nonEmpty(surroundings.env["GIVEWAY_DB"]) ?? DEFAULT_DB, { existing: true });
  await store.open();
  try {
    const { bytes } = await store.backup(target);
    out.answer({ target, bytes }, () => [`backed up to ${terminalText(target)}, ${bytes} bytes`]);
  } finally {
    await store.close();
  }
}
