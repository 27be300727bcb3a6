import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** A process of its own that runs one of the scripts in `children/` from the build. It says one JSON value a line, and is killed with the test. */
export class Child {
  readonly process: ChildProcess;
  readonly #said: unknown[] = [];
  readonly #listeners: (() => void)[] = [];
  #errors = "";
  readonly ended: Promise<number | null>;

  constructor(script: string, args: readonly string[], options: ChildOptions = {}) {
    const path = fileURLToPath(new URL(`../children/${script}.mjs`, import.meta.url));
    const uid = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
    this.process = spawn(process.execPath, [path, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, NODE_OPTIONS: "", ...options.env },
      ...uid,
    });
    const { stdout, stderr } = this.process;
    if (stdout === null || stderr === null) throw new Error("the child has no output");
    createInterface({ input: stdout }).on("line", (line) => {
      this.#said.push(JSON.parse(line));
      for (const listener of this.#listeners.splice(0)) listener();
    });
    stderr.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    this.ended = once(this.process, "close").then(([code]) => {
      for (const listener of this.#listeners.splice(0)) listener();
      return code as number | null;
    });
    onTestFinished(() => this.kill());
  }

  /** All that it has said so far. */
  get said(): readonly unknown[] {
    return this.#said;
  }

  get errors(): string {
    return this.#errors;
  }

  /** Waits until it has said something for which `wanted` holds, and answers that. */
  async until<Value>(wanted: (value: Value) => boolean): Promise<Value> {
    for (;;) {
      const found = this.#said.find((value) => wanted(value as Value));
      if (found !== undefined) return found as Value;
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        throw new Error(`the child ended without saying it: ${this.#errors}`);
      }
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Sends one line. */
  tell(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  async kill(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
    await this.ended;
  }
}
