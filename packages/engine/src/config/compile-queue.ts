import { type AgingSteps, DEFAULT_STEPS, laneOrders, POLICIES, parseDuration, type QueueName } from "@giveway/kernel";
import type { Checks } from "./checks.ts";
import type { QueueSettings } from "./compiled.ts";
import { QUEUE_OPTIONS, STEP_OPTIONS } from "./option-names.ts";

export const DEFAULT_SLOTS = 4;
export const DEFAULT_SHARE = 70;
export const MAX_SLOTS = 10_000;

/** A queue's settings by code. `path` is `queues.orders`. */
export function compileQueue(checks: Checks, name: QueueName, value: unknown, path: string): QueueSettings {
  const given = checks.object(value, QUEUE_OPTIONS, path);
  const { slots: slotsGiven, burst: burstGiven, share: shareGiven } = given;
  const slots = slotsGiven === undefined ? DEFAULT_SLOTS : slotCount(checks, slotsGiven, `${path}.slots`);
  const burst = burstGiven === undefined ? 2 * slots : burstCount(checks, burstGiven, slots, `${path}.burst`);
  const policy = given["policy"] === undefined ? "express" : checks.oneOf(given["policy"], POLICIES, `${path}.policy`);
  const steps =
    given["steps"] === undefined ? DEFAULT_STEPS : agingSteps(checks, given["steps"], DEFAULT_STEPS, `${path}.steps`);
  return {
    name,
    policy,
    lanes: laneOrders(policy, steps),
    steps,
    slots,
    burst,
    burstFor:
      given["burstFor"] === undefined
        ? "express"
        : checks.oneOf(given["burstFor"], ["express", "all"] as const, `${path}.burstFor`),
    share: shareGiven === undefined ? DEFAULT_SHARE : sharePercent(checks, shareGiven, `${path}.share`),
    paused: false,
  };
}

export function slotCount(checks: Checks, value: unknown, path: string): number {
  return checks.whole(value, path, 1, MAX_SLOTS);
}

export function burstCount(checks: Checks, value: unknown, slots: number, path: string): number {
  const burst = checks.whole(value, path, 1, 2 * MAX_SLOTS);
  if (burst < slots) checks.fail(path, `${burst} is less than the ${slots} slots: it counts all slots, burst included`);
  return burst;
}

export function sharePercent(checks: Checks, value: unknown, path: string): number {
  return checks.number(value, path, 0, 100);
}

/** One or both steps, the other as before. */
export function agingSteps(checks: Checks, value: unknown, before: AgingSteps, path: string): AgingSteps {
  const given = checks.object(value, STEP_OPTIONS, path);
  return {
    standard: step(checks, given["standard"], before.standard, `${path}.standard`),
    express: step(checks, given["express"], before.express, `${path}.express`),
  };
}

function step(checks: Checks, value: unknown, before: number, path: string): number {
  if (value === undefined) return before;
  const ms = checks.read(() => parseDuration(value, path));
  if (ms === 0) checks.fail(path, "expected more than 0 ms; for an order without aging choose policy strict or fifo");
  return ms;
}
