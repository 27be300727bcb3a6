import { type Client, createClient } from "@giveway/api";
import type { Command } from "commander";
import { Output, type OutputStreams } from "./output/output.ts";

/** What surrounds a run of the command line; tests give their own. */
export interface Surroundings extends OutputStreams {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly now: () => number;
}

interface GlobalOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** What every command works with. */
export interface Context {
  readonly out: Output;
  readonly client: Client;
  readonly surroundings: Surroundings;
  readonly now: number;
}

export const DEFAULT_URL = "http://127.0.0.1:7700";

/** The context of one command: flags win over the environment. */
export function contextOf(command: Command, surroundings: Surroundings): Context {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { env } = surroundings;
  const token = options.token ?? nonEmpty(env["GIVEWAY_TOKEN"]);
  return {
    out: new Output(surroundings, { json: options.json === true, env }),
    client: createClient({
      url: options.url ?? nonEmpty(env["GIVEWAY_URL"]) ?? DEFAULT_URL,
      ...(token === undefined ? {} : { token }),
    }),
    surroundings,
    now: surroundings.now(),
  };
}

export function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}
