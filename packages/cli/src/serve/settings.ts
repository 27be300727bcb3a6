import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { GivewayError } from "@giveway/kernel";
import type { QueueOptions } from "giveway";
import { z } from "zod";
import { nonEmpty } from "../context.ts";

export const DEFAULT_DB = "sqlite:./data/giveway.db";

/** The flags of `serve`, as given. */
export interface ServeFlags {
  readonly db?: string;
  readonly port?: number;
  readonly host?: string;
  readonly tasks?: string;
  readonly config?: string;
  readonly demo?: boolean;
  readonly logLevel?: string;
}

/** What `serve` runs with after flags, environment, file and defaults, in this order of precedence. */
export interface ServeSettings {
  readonly db: string;
  readonly port: number;
  readonly host: string;
  readonly tasks: string | null;
  readonly demo: boolean;
  readonly logLevel: string | null;
  readonly queues: Readonly<Record<string, QueueOptions>>;
}

/** The configuration file: every key optional, unknown ones refused. Queue options are checked by the scheduler. */
const fileSchema = z.strictObject({
  db: z.string().min(1).optional(),
  port: z.number().int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  tasks: z.string().min(1).optional(),
  logLevel: z.string().optional(),
  queues: z.record(z.string(), z.looseObject({})).optional(),
});

type FileSettings = z.infer<typeof fileSchema>;

export async function serveSettings(flags: ServeFlags, env: NodeJS.ProcessEnv): Promise<ServeSettings> {
  const file = flags.config === undefined ? {} : await readConfig(flags.config);
  return {
    db: flags.db ?? nonEmpty(env["GIVEWAY_DB"]) ?? nonEmpty(env["DATABASE_URL"]) ?? file.db ?? DEFAULT_DB,
    port: flags.port ?? portFrom(env, "GIVEWAY_PORT") ?? portFrom(env, "PORT") ?? file.port ?? 7700,
    host: flags.host ?? nonEmpty(env["GIVEWAY_HOST"]) ?? file.host ?? "127.0.0.1",
    tasks: flags.tasks ?? file.tasks ?? null,
    demo: flags.demo === true,
    logLevel: flags.logLevel ?? nonEmpty(env["GIVEWAY_LOG_LEVEL"]) ?? file.logLevel ?? null,
    queues: file.queues ?? {},
  };
}

function portFrom(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = nonEmpty(env[name]);
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new GivewayError("invalid_config", `${name}: expected a port from 0 to 65535; got ${JSON.stringify(text)}`, {
    field: name,
  });
}

async function readConfig(path: string): Promise<FileSettings> {
  const parsed = fileSchema.safeParse(await loadConfig(path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = issue === undefined ? "" : issue.path.map(String).join(".");
  throw new GivewayError(
    "invalid_config",
    `${path}: ${key === "" ? "" : `${key}: `}${issue?.message ?? "not a configuration"}`,
    {
      field: key === "" ? "config" : key,
    },
  );
}

/** JSON by its ending; anything else is an ES module with a default export. */
async function loadConfig(path: string): Promise<unknown> {
  try {
    if (path.endsWith(".json")) return JSON.parse(await readFile(path, "utf8")) as unknown;
    const module = (await import(pathToFileURL(resolve(path)).href)) as { readonly default?: unknown };
    return module.default;
  } catch (error) {
    throw new GivewayError(
      "invalid_config",
      `config: can't read ${path}: ${error instanceof Error ? error.message : String(error)}`,
      {
        field: "config",
        cause: error,
      },
    );
  }
}
