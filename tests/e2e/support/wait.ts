import { type FSWatcher, watch } from "node:fs";
import { readdir } from "node:fs/promises";

/** Resolves once a file of this name exists in a folder; wakes by the file system's own news, not by sleeping. */
export async function fileAppears(folder: string, name: string): Promise<void> {
  let watcher: FSWatcher | null = null;
  try {
    await new Promise<void>((resolve, reject) => {
      watcher = watch(folder, (_event, changed) => {
        if (changed === name) resolve();
      });
      watcher.on("error", reject);
      readdir(folder).then((names) => {
        if (names.includes(name)) resolve();
      }, reject);
    });
  } finally {
    (watcher as FSWatcher | null)?.close();
  }
}
