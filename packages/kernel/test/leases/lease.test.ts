import { isExpired, LEASE_MARGIN, type LeaseFacts, localDeadline, mayTakeOver } from "@giveway/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const lease = 60_000;
const alive: LeaseFacts = {
  lastBeat: 100_000,
  clock: 110_000,
  lease,
  declaredDead: false,
  provenDead: false,
  self: false,
};

describe("mayTakeOver (C10)", () => {
  test.each<[string, Partial<LeaseFacts>, ReturnType<typeof mayTakeOver>]>([
    ["a node that beats", {}, null],
    ["a node silent for just under its lease", { clock: 159_999 }, null],
    ["a node silent for its lease", { clock: 160_000 }, "lease_expired"],
    ["a proven dead one within its lease", { provenDead: true }, "proven_dead"],
    ["a declared dead one, whatever its beat", { declaredDead: true }, "declared_dead"],
    ["itself, silent", { self: true, clock: 500_000 }, null],
    ["itself, declared dead", { self: true, declaredDead: true, provenDead: true }, null],
    ["a clock set back", { clock: 1_000 }, null],
  ])("%s", (_name, changes, ground) => {
    expect(mayTakeOver({ ...alive, ...changes })).toBe(ground);
  });
});

describe("localDeadline (D17)", () => {
  test("counts from the send, with a hundredth and a margin off", () => {
    expect(localDeadline(1_000, 60_000)).toBe(1_000 + 59_400 - LEASE_MARGIN);
    expect(localDeadline(1_000.25, 15_000, 100)).toBe(1_000.25 + 14_750);
    expect(localDeadline(1_000, 100)).toBe(1_000);
  });

  /**
   * The node's clock runs up to 0.9 % slower than the ledger's. The beat is sent, renews the lease in the ledger any time later, and the node
   * stops at its local deadline: by then the lease must still be in force, or two nodes would run one task.
   */
  test("lies before the expiry that others see, whatever the clocks' drift and the beat's travel", () => {
    const facts = fc.record({
      sentAt: fc.integer({ min: 0, max: 1_000_000 }),
      travel: fc.integer({ min: 0, max: 30_000 }),
      lease: fc.integer({ min: 1_000, max: 120_000 }),
      drift: fc.double({ min: -0.009, max: 0.009, noNaN: true }),
    });
    fc.assert(
      fc.property(facts, ({ sentAt, travel, lease, drift }) => {
        const stopped = localDeadline(sentAt, lease) - sentAt;
        const clock = sentAt + stopped * (1 + drift);
        expect(isExpired({ lastBeat: sentAt + travel, clock, lease })).toBe(false);
      }),
    );
  });
});
