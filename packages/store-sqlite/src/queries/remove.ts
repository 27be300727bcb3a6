import type { GuardedAnswer, RemoveArgs } from "../wire/calls.ts";
import type { WriteContext } from "../writer/context.ts";
import { prepareForgetRow } from "./forget-row.ts";
import { RECORDS, recordOf } from "./record.ts";

/** Removes by hand. */
export function prepareRemove(context: WriteContext): (args: RemoveArgs) => GuardedAnswer[] {
  const byId = context.driver.prepare(`${RECORDS} WHERE t.id = ?`);
  const forgetRow = prepareForgetRow(context);
  return ({ ops }) =>
    ops.map(({ id, version }) => {
      const row = byId.get(id);
      if (row === undefined) return { applied: false, row: null };
      const task = recordOf(row);
      if (task.version !== version || task.state === "running") return { applied: false, row };
      forgetRow(row[1] as number, task, true);
      return { applied: true, row: null };
    });
}
