import { toIso } from "@giveway/kernel";
import type { NodeRecord } from "@giveway/store";
import type { NodeView } from "../api.ts";

/** Whether a node's lease holds. */
export function isAlive(node: NodeRecord): boolean {
  return !node.declaredDead && !node.provenDead && node.clock - node.lastBeat <= node.lease;
}

/** No duty of this release needs a leader, so no node is one. */
export function nodeView(node: NodeRecord): NodeView {
  return {
    id: node.node,
    label: node.label,
    release: node.release,
    alive: isAlive(node),
    self: node.self,
    leader: false,
    startedAt: toIso(node.startedAt),
    types: node.types,
  };
}
