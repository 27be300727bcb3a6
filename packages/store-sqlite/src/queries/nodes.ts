import { type NodeId, nodeId, type TypeName } from "@giveway/kernel";
import type { NodeRecord, NodeRegistration, NodeSignal } from "@giveway/store";
import type { Driver } from "../driver/driver.ts";
import type { ProcessFacts } from "../process/identity.ts";
import type { WriteContext } from "../writer/context.ts";

/** The lease clock in whole ms: see `process/lease-clock.ts`. */
export type LeaseNow = () => number;

export function prepareRegister(
  context: WriteContext,
  own: ProcessFacts,
  leaseNow: LeaseNow,
): (node: NodeRegistration) => null {
  const { driver, nodes } = context;
  // One that was forgotten begins anew; one declared dead stays dead.
  const write = driver.prepare(
    `INSERT INTO node (id, forgotten, dead, label, release, types, started_at, last_beat, lease, boot, namespace, pid, pid_started)
     VALUES (?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET label = excluded.label, release = excluded.release, types = excluded.types,
       last_beat = max(last_beat + 1, excluded.last_beat), lease = excluded.lease, boot = excluded.boot,
       namespace = excluded.namespace, pid = excluded.pid, pid_started = excluded.pid_started,
       started_at = CASE WHEN forgotten THEN excluded.started_at ELSE started_at END,
       dead = CASE WHEN forgotten THEN 0 ELSE dead END, forgotten = 0`,
  );
  return ({ node, label, release, types, now, lease }) => {
    const { boot, namespace, pid, pidStarted } = own;
    write.run(node, label, release, JSON.stringify(types), now, leaseNow(), lease, boot, namespace, pid, pidStarted);
    nodes.invalidate();
    return null;
  };
}

/** Renews a lease. Each beat grows, so that `declareDead` sees one that came within the same ms. */
export function prepareRenew(driver: Driver, leaseNow: LeaseNow): (node: string) => boolean {
  const renew = driver.prepare(
    "UPDATE node SET last_beat = max(last_beat + 1, ?) WHERE id = ? AND dead = 0 AND forgotten = 0",
  );
  return (node) => renew.run(leaseNow(), node) === 1;
}

/** Takes what others left for a node, oldest first. */
export function prepareTakeSignals(driver: Driver): (node: string) => NodeSignal[] {
  const read = driver.prepare(
    "SELECT s.kind, s.task FROM signal s JOIN node n ON n.number = s.node WHERE n.id = ? ORDER BY s.serial",
  );
  const drop = driver.prepare("DELETE FROM signal WHERE node = (SELECT number FROM node WHERE id = ?)");
  return (node) => {
    const rows = read.all(node);
    if (rows.length > 0) drop.run(node);
    return rows.map(([kind, id]) => ({ kind, id }) as NodeSignal);
  };
}

export function prepareDeclareDead({
  driver,
  nodes,
}: WriteContext): (args: { node: string; lastBeat: number }) => boolean {
  const declare = driver.prepare("UPDATE node SET dead = 1 WHERE id = ? AND last_beat = ? AND forgotten = 0");
  return ({ node, lastBeat }) => {
    nodes.invalidate();
    return declare.run(node, lastBeat) === 1;
  };
}

export function prepareForget({ driver, nodes }: WriteContext): (args: { node: string }) => null {
  const forget = driver.prepare(
    `UPDATE node SET forgotten = 1 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM running WHERE running.node = node.number)`,
  );
  const drop = driver.prepare("DELETE FROM signal WHERE node = (SELECT number FROM node WHERE id = ?)");
  return ({ node }) => {
    if (forget.run(node) === 1) drop.run(node);
    nodes.invalidate();
    return null;
  };
}

/** What a node's row says, and of which process it tells. */
export interface NodeRow {
  readonly record: Omit<NodeRecord, "clock" | "provenDead" | "self">;
  readonly process: ProcessFacts;
}

export function prepareNodes(driver: Driver): () => NodeRow[] {
  const all = driver.prepare(
    `SELECT id, label, release, types, started_at, last_beat, lease, dead, boot, namespace, pid, pid_started
     FROM node WHERE forgotten = 0 ORDER BY number`,
  );
  return () =>
    all.all().map((row) => {
      const [id, label, release, types, startedAt, lastBeat, lease, dead, boot, namespace, pid, pidStarted] =
        row as unknown as NodeCells;
      return {
        record: {
          node: nodeId(id) satisfies NodeId,
          label,
          release,
          types: JSON.parse(types) as TypeName[],
          startedAt,
          lastBeat,
          lease,
          declaredDead: dead === 1,
        },
        process: { boot, namespace, pid, pidStarted },
      };
    });
}

type NodeCells = readonly [
  id: string,
  label: string,
  release: string,
  types: string,
  startedAt: number,
  lastBeat: number,
  lease: number,
  dead: number,
  boot: string | null,
  namespace: string | null,
  pid: number,
  pidStarted: string | null,
];
