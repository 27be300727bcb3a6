import type { Command } from "commander";
import { type Context, contextOf, type Surroundings } from "../context.ts";

/** Adds a command to the program. One file per command exports one of these. */
export type AddCommand = (program: Command, surroundings: Surroundings) => void;

/** Wraps an action so that it gets its context first; commander's own trailing arguments stay out of sight. */
export function withContext<Arguments extends readonly unknown[]>(
  surroundings: Surroundings,
  action: (context: Context, ...rest: Arguments) => Promise<void>,
): (...given: [...Arguments, Command]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    await action(contextOf(command, surroundings), ...(given.slice(0, -1) as unknown as Arguments));
  };
}
