import type { Depth, EndedTotal, FindQuery, SettingOverride, StoreInfo, UpcomingRequest } from "@giveway/store";
import type { Row } from "../driver/driver.ts";
import type { NodeRow } from "../queries/nodes.ts";

/** What is asked of the connection that only reads. Rows cross as they are and are read by the caller's side. */
export interface ReadCalls {
  readonly get: { args: readonly string[]; answer: (Row | null)[] };
  readonly remembered: { args: readonly string[]; answer: (Row | null)[] };
  readonly find: { args: FindQuery; answer: { readonly rows: readonly Row[]; readonly more: boolean } };
  readonly history: { args: string; answer: HistoryRows | null };
  readonly upcoming: {
    args: UpcomingRequest;
    answer: { readonly express: readonly Row[]; readonly standard: readonly Row[] };
  };
  readonly depths: { args: null; answer: Depth[] };
  readonly totals: { args: null; answer: EndedTotal[] };
  readonly nextDue: { args: null; answer: { readonly queue: string; readonly dueAt: number }[] };
  readonly overrides: { args: null; answer: SettingOverride[] };
  readonly nodes: { args: null; answer: NodeRows };
  readonly held: { args: { readonly node: string; readonly limit: number }; answer: Row[] };
  readonly check: { args: null; answer: string[] };
  readonly info: { args: null; answer: StoreInfo };
}
export type ReadName = keyof ReadCalls;
export type ReadArgs<Name extends ReadName> = ReadCalls[Name]["args"];
export type ReadAnswer<Name extends ReadName> = ReadCalls[Name]["answer"];

export interface HistoryRows {
  readonly task: Row;
  /** attempt, outcome, node, startedAt, endedAt, error, log */
  readonly attempts: readonly Row[];
  /** Each one JSON text. */
  readonly changes: readonly string[];
}

export interface NodeRows {
  readonly rows: readonly NodeRow[];
  /** By node, in the same order: its process has provably ended. */
  readonly ended: readonly boolean[];
  readonly clock: number;
}
