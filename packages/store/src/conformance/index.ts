import { describe } from "vitest";
import { batchesSuite } from "./batches.ts";
import { changeSuite } from "./change.ts";
import { changeGuardsSuite } from "./change-guards.ts";
import { claimLimitsSuite } from "./claim-limits.ts";
import { claimOrderSuite } from "./claim-order.ts";
import { claimWalkSuite } from "./claim-walk.ts";
import { connectionsSuite } from "./connections.ts";
import { countersSuite } from "./counters.ts";
import { dueSuite } from "./due.ts";
import { durableSuite } from "./durable.ts";
import { findSuite } from "./find.ts";
import { historySuite } from "./history.ts";
import { insertSuite } from "./insert.ts";
import { nodesSuite } from "./nodes.ts";
import { oddTextSuite } from "./odd-text.ts";
import { retentionSuite } from "./retention.ts";
import { runningSuite } from "./running.ts";
import { settingsSuite } from "./settings.ts";
import { settleEndsSuite } from "./settle-ends.ts";
import { settleRefusalsSuite } from "./settle-refusals.ts";
import { settleReturnsSuite } from "./settle-returns.ts";
import { type ConformanceOptions, createHarness, type Harness, type MakeLedger } from "./support/harness.ts";
import { upcomingSuite } from "./upcoming.ts";
import { walkSuite } from "./walk.ts";

export type { ConformanceOptions, MakeLedger, TestLedger } from "./support/harness.ts";

const SUITES: Readonly<Record<string, (harness: Harness) => void>> = {
  insert: insertSuite,
  "order of claims": claimOrderSuite,
  "limits of claims": claimLimitsSuite,
  "claims against a full sort": claimWalkSuite,
  "due times": dueSuite,
  "starts and progress": runningSuite,
  "settle: ends": settleEndsSuite,
  "settle: returns": settleReturnsSuite,
  "settle: refusals": settleRefusalsSuite,
  change: changeSuite,
  "change: guards and signals": changeGuardsSuite,
  "removal and retention": retentionSuite,
  find: findSuite,
  history: historySuite,
  upcoming: upcomingSuite,
  counters: countersSuite,
  settings: settingsSuite,
  nodes: nodesSuite,
  "odd texts": oddTextSuite,
  batches: batchesSuite,
  connections: connectionsSuite,
  durability: durableSuite,
  "against the memory store": walkSuite,
};

/**
 * The whole contract as tests: called once in a test file of every store. Each test gets a ledger of its own from `makeLedger`, and at its end
 * the ledger has to pass its own check and its counters a recount.
 *
 * ```ts
 * describeTaskStore("sqlite", async () => {
 *   const file = join(await mkdtemp(join(tmpdir(), "ledger-")), "tasks.db");
 *   return { open: (listener) => openedStore(file, listener), dispose: () => rm(file) };
 * });
 * ```
 *
 * The store's clock has to be the caller's (`features.clock === "caller"`), or a harness that makes the ledger's own clock follow the `now` of the calls.
 */
export function describeTaskStore(name: string, makeLedger: MakeLedger, options: ConformanceOptions = {}): void {
  const harness = createHarness(makeLedger, options);
  describe(`${name} keeps the store contract`, () => {
    for (const [title, suite] of Object.entries(SUITES)) describe(title, () => suite(harness));
  });
}
