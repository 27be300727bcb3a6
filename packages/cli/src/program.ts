import { createRequire } from "node:module";
import { Command } from "commander";
import { addBackup } from "./commands/backup.ts";
import { addChanges } from "./commands/change.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addList } from "./commands/list.ts";
import { addLooks } from "./commands/look.ts";
import { addPause } from "./commands/pause.ts";
import { addRedrive } from "./commands/redrive.ts";
import { addServe } from "./commands/serve.ts";
import { addShow } from "./commands/show.ts";
import { addSubmit } from "./commands/submit.ts";
import { addTail } from "./commands/tail.ts";
import { addWhy } from "./commands/why.ts";
import type { Surroundings } from "./context.ts";

const { version } = createRequire(import.meta.url)("../package.json") as { readonly version: string };

const COMMANDS = [
  addServe,
  addSubmit,
  addList,
  addShow,
  addWhy,
  addChanges,
  addRedrive,
  addPause,
  addLooks,
  addTail,
  addDoctor,
  addBackup,
];

/** The whole command line. It throws where commander would exit, so that the caller chooses the exit code. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command("giveway")
    .description("durable task scheduler: urgent work starts now, ordinary work always gets there, nothing is lost")
    .version(version)
    .option("--url <url>", "the server (GIVEWAY_URL; default http://127.0.0.1:7700)")
    .option("--token <token>", "the bearer token (GIVEWAY_TOKEN)")
    .option("--json", "answer with one JSON document")
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: (text) => surroundings.stderr.write(text),
    });
  for (const add of COMMANDS) add(program, surroundings);
  for (const command of program.commands) withGlobalOptions(command);
  return program;
}

/** Global options are taken behind the command's name too: `giveway list --json`. */
function withGlobalOptions(command: Command): void {
  command
    .option("--url <url>", "the server")
    .option("--token <token>", "the bearer token")
    .option("--json", "answer with one JSON document")
    .copyInheritedSettings(command.parent ?? command);
}
