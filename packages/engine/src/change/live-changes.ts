import { type ChangeActor, GivewayError, type JsonText, type QueueName, queueName } from "@giveway/kernel";
import type { SettingOverride } from "@giveway/store";
import { shown } from "../config/checks.ts";
import { agingSteps, burstCount, sharePercent, slotCount } from "../config/compile-queue.ts";
import type { QueueSettings } from "../config/compiled.ts";
import { didYouMean } from "../config/near-match.ts";
import { QUEUE_PATCH_OPTIONS } from "../config/option-names.ts";
import { applyOverrides, QUEUE_OVERRIDE_KEYS, type QueueOverrideKey } from "../config/overrides.ts";
import type { EngineParts } from "../parts.ts";
import { settingsOf } from "../read/queue-facts.ts";
import { unknownQueue } from "../submit/find-type.ts";
import { actorOf, changeChecks, readActor } from "./actor.ts";

type Target = { readonly queue: string } | { readonly type: string };

/**
 * Live changes of queues and types (section 1): rows in the ledger that win over code on every node, outlive restarts and deploys (V-12), carry who
 * and when, and end by a reset.
 */
export class LiveChanges {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async pause(target: Target, paused: boolean, actorGiven: unknown): Promise<void> {
    const actor = readActor(actorGiven);
    const { scope, name } = await this.#target(target);
    // Code never pauses, so an override that says "not paused" would only stay in view: resuming resets.
    await this.#override({ scope, name, key: "paused", value: paused ? "true" : null }, actor);
    await this.#parts.dispatch.settingsChanged();
  }

  /** Every key is checked, also against the others, before the first is written. */
  async setQueue(value: unknown, patch: unknown): Promise<void> {
    const given = changeChecks.object(patch, QUEUE_PATCH_OPTIONS, "options");
    const actor = actorOf(given);
    const queue = await this.#knownQueue(value);
    const overrides = (await this.#parts.store.overrides()).filter(
      (row) => row.scope === "queue" && row.name === queue,
    );
    const base = this.#parts.config.queues.get(queue) ?? settingsOf(this.#parts, queue);
    const rows = readRows(given, base, overrides);
    if (rows.length === 0) {
      changeChecks.fail("options", `nothing to change: give at least one of ${QUEUE_OVERRIDE_KEYS.join(", ")}`);
    }
    for (const { key, value: text } of rows)
      await this.#override({ scope: "queue", name: queue, key, value: text }, actor);
    await this.#parts.dispatch.settingsChanged();
  }

  async #override(change: Omit<SettingOverride, "by" | "at">, actor: ChangeActor): Promise<void> {
    const { store, clock, sink, config } = this.#parts;
    const at = clock.now();
    const before = await store.override({ ...change, by: actor.by, at });
    if ((before?.value ?? null) === change.value) return;
    const queue =
      change.scope === "queue"
        ? queueName(change.name)
        : [...config.types.values()].find((type) => type.type === change.name)?.queue;
    sink.emit({
      kind: "queue_changed",
      at,
      task: null,
      ...(queue === undefined ? {} : { queue }),
      data: {
        reason: `${change.scope} ${change.name}: ${change.key}`,
        before: before?.value ?? "null",
        after: change.value ?? "null",
        by: actor.by,
      },
    });
  }

  async #target(target: unknown): Promise<{ readonly scope: "queue" | "type"; readonly name: string }> {
    const given = changeChecks.object(target, ["queue", "type"], "target");
    if ((given["queue"] === undefined) === (given["type"] === undefined)) {
      changeChecks.fail("target", "expected either a queue or a type");
    }
    if (given["queue"] !== undefined) return { scope: "queue", name: await this.#knownQueue(given["queue"]) };
    return { scope: "type", name: await this.#knownType(given["type"]) };
  }

  /** Known here, or known to the ledger: a client may pause what only other nodes serve. */
  async #knownQueue(value: unknown): Promise<QueueName> {
    const { config, dispatch, store } = this.#parts;
    const known = new Set<string>([...config.queues.keys(), ...dispatch.queueNames()]);
    if (typeof value === "string" && known.has(value)) return queueName(value);
    for (const depth of await store.depths()) known.add(depth.queue);
    if (typeof value === "string" && known.has(value)) return queueName(value);
    throw unknownQueue(value, [...known]);
  }

  async #knownType(value: unknown): Promise<string> {
    const { config, store } = this.#parts;
    const known = new Set<string>(config.types.keys());
    if (typeof value === "string" && known.has(value)) return value;
    const [nodes, depths] = await Promise.all([store.nodes(), store.depths()]);
    for (const node of nodes) for (const type of node.types) known.add(type);
    for (const depth of depths) known.add(depth.type);
    if (typeof value === "string" && known.has(value)) return value;
    const hint = typeof value === "string" ? didYouMean(value, [...known]) : "";
    throw new GivewayError("unknown_type", `type: ${shown(value)} is known to no node of this ledger${hint}`, {
      field: "type",
    });
  }
}

interface Row {
  readonly key: QueueOverrideKey;
  readonly value: JsonText | null;
}

/** The rows a patch writes; null resets. Burst is checked against the slots that will then hold. */
function readRows(
  given: Readonly<Record<string, unknown>>,
  base: QueueSettings,
  overrides: readonly SettingOverride[],
): readonly Row[] {
  const rows: Row[] = [];
  const now = applyOverrides(base, overrides);
  const add = (key: QueueOverrideKey, read: (value: unknown) => unknown): void => {
    const value = given[key];
    if (value === undefined) return;
    const read_ = value === null ? null : read(value);
    rows.push({ key, value: read_ === null ? null : JSON.stringify(read_) });
  };
  const slotsGiven = given["slots"];
  const slots =
    slotsGiven === undefined
      ? now.slots
      : slotsGiven === null
        ? base.slots
        : slotCount(changeChecks, slotsGiven, "slots");
  add("slots", () => slots);
  add("burst", (value) => burstCount(changeChecks, value, slots, "burst"));
  add("share", (value) => sharePercent(changeChecks, value, "share"));
  add("steps", (value) => agingSteps(changeChecks, value, now.steps, "steps"));
  add("paused", (value) => (changeChecks.flag(value, "paused") ? true : null));
  return rows;
}
