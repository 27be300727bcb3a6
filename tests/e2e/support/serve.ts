import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Client, createClient } from "@giveway/api";

const command = join(import.meta.dirname, "..", "..", "..", "packages", "cli", "bin", "giveway.js");

export interface Served {
  readonly process: ChildProcess;
  readonly url: string;
  readonly client: Client;
  /** Every line of its standard output so far. */
  readonly lines: readonly string[];
  /** Sends a signal and resolves once the process has ended. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Runs the real `giveway serve` on a free port and resolves once it says that it is ready. */
export async function serve(db: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const child = spawn(process.execPath, [command, "serve", "--db", db, "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, GIVEWAY_LOG_LEVEL: "warn", ...env },
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const lines: string[] = [];
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += String(data);
  });
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      const url = /^Giveway is ready at (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const failed = exited.then(([code]) => {
    throw new Error(`giveway serve ended with ${code} before it was ready:\n${errors}\n${lines.join("\n")}`);
  });
  const url = await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  return {
    process: child,
    url,
    client: createClient({ url }),
    lines,
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the real command line. */
export async function giveway(
  args: readonly string[],
  options: { readonly stdin?: string; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [command, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => {
    stdout += String(data);
  });
  child.stderr.on("data", (data) => {
    stderr += String(data);
  });
  child.stdin.end(options.stdin ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
