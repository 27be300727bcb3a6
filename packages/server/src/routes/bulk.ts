import type { BulkRuns } from "../bulk/bulk-runs.ts";
import type { Part } from "../http/handler.ts";

export function bulkHandlers(runs: BulkRuns): Part<"startBulk" | "getBulk"> {
  return {
    async startBulk({ body, caller }) {
      if (body.dryRun === true) {
        return { body: { action: body.action, dryRun: true, matched: await runs.count(body) } };
      }
      const run = await runs.start(body, caller.by);
      return { status: 202, body: run, headers: { location: `/v1/bulk/${run.id}` } };
    },

    async getBulk({ params }) {
      return { body: runs.get(params.id) };
    },
  };
}
