import type { Cell } from "../driver/driver.ts";
import { PROGRESS_WIDTH, START_WIDTH } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";

/** Records starts of prefetched tasks. Repeating one changes nothing and is answered as the first time. */
export function prepareMarkStarted({ driver }: WriteContext): (args: { readonly cells: readonly Cell[] }) => boolean[] {
  // A repeated mark carries the start it had: nothing to write.
  const mark = driver.prepare(
    `UPDATE running SET started_at = ?, attempt = ?, version = version + 1, updated_at = ?, progress = NULL
     WHERE key = ? AND fence = ? AND started_at IS NULL`,
  );
  const holds = driver.prepare("SELECT 1 FROM running WHERE key = ? AND fence = ?");
  return ({ cells }) => {
    const answers: boolean[] = [];
    for (let at = 0; at < cells.length; at += START_WIDTH) {
      const [key = null, fence = null, attempt = null, startedAt = null] = cells.slice(at, at + START_WIDTH);
      const marked = mark.run(startedAt, attempt, startedAt, key, fence) === 1;
      answers.push(marked || holds.get(key, fence) !== undefined);
    }
    return answers;
  };
}

export function prepareSaveProgress({ driver }: WriteContext): (args: { readonly cells: readonly Cell[] }) => null {
  const save = driver.prepare("UPDATE running SET progress = ? WHERE key = ? AND fence = ?");
  return ({ cells }) => {
    for (let at = 0; at < cells.length; at += PROGRESS_WIDTH) {
      save.run(cells[at + 2] ?? null, cells[at] ?? null, cells[at + 1] ?? null);
    }
    return null;
  };
}
