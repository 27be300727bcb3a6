import { PassThrough, Readable } from "node:stream";
import { run } from "../src/run.ts";

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in this process and gathers what it prints. */
export async function giveway(
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly stdin?: string } = {},
): Promise<Answer> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await run(args, {
    stdout,
    stderr,
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]) as unknown as NodeJS.ReadableStream,
    env: options.env ?? {},
    now: () => 1_735_689_600_000,
  });
  const text = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
