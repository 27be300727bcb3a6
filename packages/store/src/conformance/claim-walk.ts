import { DEFAULT_STEPS, type Policy, type Random, seededRandom, typeName, type Weight } from "@giveway/kernel";
import { expect } from "vitest";
import type { ClaimedTask, ClaimRequest, OpenType } from "../task-store.ts";
import { lanesOf, newTask, runOf } from "./support/builders.ts";
import { chance, oneOf, upTo } from "./support/dice.ts";
import type { Harness } from "./support/harness.ts";
import { expectedClaim } from "./support/naive-claim.ts";
import { allRows } from "./support/recount.ts";
import type { Subject } from "./support/subject.ts";

const TYPES = ["alpha", "beta", "gamma"] as const;
const POLICIES: readonly Policy[] = ["express", "express", "express", "ladder", "rotation", "strict", "fifo"];
const ROUND = 40;

/** Claims out of random backlogs, each compared with what sorting all rows anew says. */
export function claimWalkSuite({ test, claims, seed }: Harness): void {
  const rounds = Math.ceil(claims / ROUND);
  for (let round = 0; round < rounds; round += 1) {
    const own = seed * 1_000 + round;
    test(`${ROUND} random claims, seed ${own}`, async (s) => {
      const random = seededRandom(own);
      const held: ClaimedTask[] = [];
      let made = 0;
      for (let step = 0; step < ROUND; step += 1) {
        s.now += upTo(random, 6_000);
        made = await fill(s, random, made);
        await giveBack(s, random, held);
        const request = requestFor(s, random);
        const expected = expectedClaim(await allRows(s.store, s.now), request);
        const { tasks, ...rest } = await s.claim(request);
        const where = `seed ${own}, step ${step}, ${JSON.stringify(request)}`;
        expect({ tasks: tasks.map(({ id, started }) => ({ id, started })), ...rest }, where).toEqual(expected);
        held.push(...tasks);
      }
    });
  }
}

async function fill(s: Subject, random: Random, made: number): Promise<number> {
  const count = upTo(random, 12);
  const tasks = Array.from({ length: count }, (_, n) =>
    newTask(`t${made + n}`, {
      type: typeName(oneOf(random, TYPES)),
      weight: (1 + upTo(random, 9)) as Weight,
      dueAt: chance(random, 0.3) ? s.now + upTo(random, 20_000) : s.now,
    }),
  );
  await s.insert(...tasks);
  return made + count;
}

/** Some return to the order: kept, anew, later, or lost while only claimed. */
async function giveBack(s: Subject, random: Random, held: ClaimedTask[]): Promise<void> {
  for (let n = upTo(random, 6); n > 0 && held.length > 0; n -= 1) {
    const [task] = held.splice(upTo(random, held.length - 1), 1);
    if (task === undefined) return;
    const kind = upTo(random, 4);
    if (kind === 0) await s.succeed(task);
    else if (kind === 1 && !task.started) await s.lose(task.id);
    else if (kind === 2) await s.fail(task, upTo(random, 1) * upTo(random, 9_000));
    else {
      await s.settle(task, {
        event: "release",
        state: "waiting",
        outcome: task.started ? "released" : null,
        ...runOf(task, s.now),
        place: chance(random, 0.7) ? "keep" : "anew",
        endedAt: s.now,
        error: null,
        endReason: null,
        result: null,
      });
    }
  }
}

function requestFor(s: Subject, random: Random): ClaimRequest {
  const limits = { express: upTo(random, 5), standard: upTo(random, 8) };
  const direct = { express: upTo(random, limits.express), standard: upTo(random, limits.standard) };
  const steps = chance(random, 0.5) ? DEFAULT_STEPS : { standard: 700, express: 150 };
  return {
    queue: newTask("x").queue,
    node: (chance(random, 0.5) ? "node-1" : "node-2") as ClaimRequest["node"],
    claimNo: 1,
    now: s.now,
    types: TYPES.filter(() => chance(random, 0.8)).map((type) => openType(type, random)),
    lanes: lanesOf(limits, direct, oneOf(random, POLICIES), steps),
  };
}

function openType(type: string, random: Random): OpenType {
  const room = upTo(random, 6);
  return {
    type: typeName(type),
    room,
    bound: chance(random, 0.3) ? upTo(random, 25) : null,
    ...(chance(random, 0.3) ? { direct: upTo(random, room) } : {}),
  };
}
