import { ApiError, makeProblem } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";
import { CommanderError } from "commander";
import type { Surroundings } from "./context.ts";
import { terminalText } from "./output/terminal-text.ts";
import { createProgram } from "./program.ts";
import { UsageError } from "./usage-error.ts";

/** 0 done, 1 failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** Runs one command line (without `node` and the script) and answers its exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const program = createProgram(surroundings);
  if (args.length === 0) {
    surroundings.stdout.write(program.helpInformation());
    return 0;
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    return failed(error, surroundings, args.includes("--json"));
  }
}

function failed(error: unknown, { stderr }: Surroundings, json: boolean): ExitCode {
  // Commander has written its own line already; help and version end this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    stderr.write(`giveway: ${terminalText(error.message)}\n`);
    return 2;
  }
  stderr.write(json ? `${JSON.stringify(problemOf(error))}\n` : `giveway: ${terminalText(messageOf(error))}\n`);
  return 1;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function problemOf(error: unknown) {
  if (error instanceof ApiError) return error.problem;
  const code = error instanceof GivewayError ? error.code : "internal";
  return makeProblem(code, messageOf(error));
}
