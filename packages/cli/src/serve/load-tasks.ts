import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { GivewayError } from "@giveway/kernel";
import type { AnyTask } from "giveway";

/** The task definitions of an ES module: a default export that is one or a list of them, and every named export that is one. */
export async function loadTasks(path: string): Promise<readonly AnyTask[]> {
  const module = await importModule(path);
  const found = new Set<AnyTask>();
  for (const value of Object.values(module)) {
    for (const candidate of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (isDefinition(candidate)) found.add(candidate);
    }
  }
  if (found.size > 0) return [...found];
  throw new GivewayError(
    "invalid_config",
    `tasks: ${path} exports no task; export what defineTask returns, or a list of them as default`,
    {
      field: "tasks",
    },
  );
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    throw new GivewayError(
      "invalid_config",
      `tasks: can't load ${path}: ${error instanceof Error ? error.message : String(error)}`,
      {
        field: "tasks",
        cause: error,
      },
    );
  }
}

function isDefinition(value: unknown): value is AnyTask {
  if (typeof value !== "object" || value === null) return false;
  const { type, run } = value as { readonly type?: unknown; readonly run?: unknown };
  return typeof type === "string" && typeof run === "function";
}
