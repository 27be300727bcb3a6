import { statSync } from "node:fs";
import { GivewayError } from "@giveway/kernel";
import type { StoreInfo } from "@giveway/store";
import { integrityFindings } from "../connection/integrity.ts";
import { openReader } from "../connection/open.ts";
import { readPragmas } from "../connection/pragmas.ts";
import { type Driver, type OpenDriver, type Row, type Statement, scalar } from "../driver/driver.ts";
import { versionOf } from "../migrations/handshake.ts";
import type { LedgerSettings } from "../options.ts";
import { ownProcess } from "../process/identity.ts";
import { hasProvablyEnded } from "../process/liveness.ts";
import { prepareDepths, prepareNextDue, prepareTotals } from "../queries/counts.ts";
import { type Breathe, prepareFind } from "../queries/find.ts";
import { prepareHistory } from "../queries/history.ts";
import { type LeaseNow, prepareNodes } from "../queries/nodes.ts";
import { RECORDS } from "../queries/record.ts";
import { prepareOverrides } from "../queries/settings.ts";
import { prepareUpcoming } from "../queries/upcoming.ts";
import type { NodeRows, ReadAnswer, ReadArgs, ReadCalls, ReadName } from "../wire/reads.ts";
import { counterFindings } from "./counter-check.ts";

type Answers = { readonly [Name in ReadName]: (args: ReadArgs<Name>) => ReadAnswer<Name> | Promise<ReadAnswer<Name>> };

/**
 * The connection that answers reads. Apart from the writing one, so that a search through everything delays no commit, and a commit that
 * waits for another process's lock delays no read. Opened after the writer; each answer sees all that was acknowledged before it was asked.
 */
export class Reader {
  readonly #driver: Driver;
  readonly #answers: Answers;

  constructor(open: OpenDriver, settings: LedgerSettings, leaseNow: LeaseNow, breathe: Breathe) {
    this.#driver = openReader(open, settings);
    this.#answers = prepareAnswers(this.#driver, settings, leaseNow, breathe);
  }

  async answer<Name extends ReadName>(name: Name, args: ReadArgs<Name>): Promise<ReadAnswer<Name>> {
    const answers: { readonly [Key in ReadName]: (args: ReadCalls[Key]["args"]) => unknown } = this.#answers;
    return (await answers[name](args)) as ReadAnswer<Name>;
  }

  close(): void {
    this.#driver.close();
  }
}

function prepareAnswers(driver: Driver, settings: LedgerSettings, leaseNow: LeaseNow, breathe: Breathe): Answers {
  const byId = driver.prepare(`${RECORDS} WHERE t.id = ?`);
  const remembered = driver.prepare("SELECT id, type, payload_hash, ended_at FROM remembered WHERE id = ?");
  const held = driver.prepare(
    `SELECT * FROM (${RECORDS}) WHERE key IN (SELECT r.key FROM running r JOIN node n ON n.number = r.node WHERE n.id = ?)
     ORDER BY key LIMIT ?`,
  );
  const find = prepareFind(driver);
  const nodes = prepareNodes(driver);
  return {
    get: (ids) => each(byId, ids),
    remembered: (ids) => each(remembered, ids),
    find: (query) => find(query, breathe),
    history: prepareHistory(driver),
    upcoming: prepareUpcoming(driver),
    depths: prepareDepths(driver),
    totals: prepareTotals(driver),
    nextDue: prepareNextDue(driver),
    overrides: prepareOverrides(driver),
    nodes: () => judged(nodes(), leaseNow()),
    held: ({ node, limit }) => held.all(node, Math.max(0, limit)),
    check: () => [...integrityFindings(driver), ...counterFindings(driver)],
    info: () => infoOf(driver, settings),
  };
}

function each(statement: Statement, ids: readonly string[]): (Row | null)[] {
  return ids.map((id) => statement.get(id) ?? null);
}

function judged(rows: NodeRows["rows"], clock: number): NodeRows {
  const own = ownProcess();
  const ended = rows.map(({ process, record }) => hasProvablyEnded(process, own, record.lastBeat, clock));
  return { rows, ended, clock };
}

function infoOf(driver: Driver, { file }: LedgerSettings): StoreInfo {
  let bytes = 0;
  for (const name of [file, `${file}-wal`]) bytes += statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return {
    location: file,
    schemaVersion: versionOf(driver),
    engineVersion: `SQLite ${scalar(driver, "SELECT sqlite_version()")} (${driver.name})`,
    bytes,
    settings: readPragmas(driver),
  };
}

export function notOpen(): GivewayError {
  return new GivewayError("ledger_closed", "the ledger is not open");
}
