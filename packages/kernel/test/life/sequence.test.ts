import {
  type ChangeDecision,
  decideCancel,
  decideEdit,
  decideReplace,
  decideRerun,
  decideReweight,
  fence,
  isEnded,
  nodeId,
  type RunFacts,
  type Settlement,
  seq,
  settleFailure,
  settleGiveWay,
  settleLost,
  settleRelease,
  settleSnooze,
  settleSuccess,
  settleUnclaim,
  type TaskRecord,
  type Weight,
} from "@giveway/kernel";
import fc from "fast-check";
import { expect, test } from "vitest";
import { refusalOf } from "../models/refusal.ts";
import { START, taskWith } from "../models/tasks.ts";

/**
 * Random lives of one task. The kernel decides, a row is written as the store contract says, and a model keeps only the diary: what was done
 * to the task, in plain words. After every step the row must say what the diary says.
 */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("claim direct", "claim prefetch") },
  { weight: 3, arbitrary: fc.constant("record start") },
  { weight: 4, arbitrary: fc.constantFrom("fail", "time out") },
  { weight: 6, arbitrary: fc.constant("node dies") },
  { weight: 2, arbitrary: fc.constantFrom("snooze", "release", "unclaim", "give way") },
  { weight: 1, arbitrary: fc.constantFrom("succeed", "fail for good", "cancel") },
  { weight: 2, arbitrary: fc.constantFrom("rerun", "reweight up", "reweight down", "edit", "replace") },
);
type Step = typeof step extends fc.Arbitrary<infer Name> ? Name : never;

interface Diary {
  /** Ends of started attempts in the present run. */
  ends: string[];
  /** Starts written down, over all runs. */
  starts: number;
  /** Deaths of a node that held it without a recorded start, over its life. */
  doubts: number;
}

const actor = { by: "ann", cause: null };
const context = { policy: "express" } as const;
const error = { name: "Error", message: "no" };

class Life {
  task: TaskRecord = taskWith();
  readonly diary: Diary = { ends: [], starts: 0, doubts: 0 };
  readonly retries: number;
  now = START;
  #nextSeq = 2;

  constructor(retries: number) {
    this.retries = retries;
  }

  take(name: Step): void {
    this.now += 1_000;
    const before = this.task;
    if (isEnded(before.state) && name !== "rerun") {
      this.#refusesAll();
      expect(this.task).toBe(before);
      return;
    }
    this.#act(name);
    this.#agrees(before);
  }

  #act(name: Step): void {
    const { task } = this;
    switch (name) {
      case "claim direct":
        this.#claim(true);
        return;
      case "claim prefetch":
        // A claim never prefetches what is marked so.
        this.#claim(task.noPrefetch);
        return;
      case "record start":
        if (task.state === "running" && task.startedAt === null) this.#start();
        return;
      case "cancel":
        if (task.state === "running" && task.startedAt !== null) this.diary.ends.push("cancelled");
        this.#change(decideCancel(task, this.now, actor));
        return;
      case "rerun":
        this.#rerun();
        return;
      case "reweight up":
        this.#change(decideReweight(task, 9, context, this.now, actor));
        return;
      case "reweight down":
        this.#change(decideReweight(task, 3, context, this.now, actor));
        return;
      case "edit":
      case "replace":
        this.#edit(name);
        return;
      default:
        if (task.state === "running") this.#settle(name);
    }
  }

  #claim(direct: boolean): void {
    const { task } = this;
    if (task.state !== "waiting" || task.dueAt > this.now + 100_000) return;
    // What is due becomes ready with the claim.
    const place = task.seq === null ? { seq: seq(this.#nextSeq++), since: this.now } : {};
    this.task = {
      ...task,
      ...place,
      state: "running",
      fence: fence(task.fence + 1),
      node: nodeId("n1"),
      startedAt: null,
    };
    if (direct) this.#start();
  }

  #start(): void {
    this.diary.starts += 1;
    this.task = { ...this.task, startedAt: this.now, attempt: this.task.attempt + 1 };
  }

  #settle(name: Step): void {
    const run: RunFacts = { ...this.task, started: this.task.startedAt !== null, now: this.now, log: [] };
    const settled = this.#decide(name, run);
    if (settled === null) return;
    this.#write(settled);
  }

  #decide(name: Step, run: RunFacts): Settlement | null {
    const { diary, task } = this;
    if (name === "node dies") {
      if (run.started) diary.ends.push("lost");
      else diary.doubts += 1;
      return settleLost(task, this.retries, this.now);
    }
    if (!run.started) return name === "unclaim" ? settleUnclaim(run) : name === "release" ? settleRelease(run) : null;
    const delay = run.failures < this.retries ? 100 : null;
    switch (name) {
      case "fail":
      case "time out": {
        const outcome = name === "fail" ? "failed" : "timed_out";
        diary.ends.push(outcome);
        return settleFailure(run, { outcome, error, delay, reason: "retries_exhausted" });
      }
      case "fail for good":
        diary.ends.push("failed");
        return settleFailure(run, { outcome: "failed", error, delay: null, reason: "not_retryable" });
      case "snooze":
        diary.ends.push("snoozed");
        return settleSnooze(run, 100);
      case "release":
        diary.ends.push("released");
        return settleRelease(run);
      case "give way":
        diary.ends.push("gave_way");
        return settleGiveWay(run, "1");
      case "succeed":
        diary.ends.push("succeeded");
        return settleSuccess(run, "1");
      default:
        return null;
    }
  }

  /** As the store contract says. */
  #write(settled: Settlement): void {
    const { task } = this;
    const waits = settled.state === "waiting";
    const keeps = waits && settled.place === "keep" && settled.dueAt <= this.now;
    const { state, attempt, failures, losses, noPrefetch } = settled;
    this.task = {
      ...task,
      state,
      attempt,
      failures,
      losses,
      noPrefetch,
      dueAt: waits ? settled.dueAt : task.dueAt,
      seq: keeps ? task.seq : waits && settled.dueAt <= this.now ? seq(this.#nextSeq++) : null,
      since: keeps ? task.since : waits && settled.dueAt <= this.now ? this.now : null,
      startedAt: waits ? null : settled.startedAt,
      node: waits ? null : task.node,
      endedAt: waits ? null : settled.endedAt,
      endReason: settled.endReason,
      lastOutcome: settled.outcome ?? task.lastOutcome,
      checkpoint: settled.checkpoint,
    };
  }

  #change(decision: ChangeDecision | null): void {
    if (decision === null) return;
    const { place, ...fields } = decision.patch;
    const { task } = this;
    const state = fields.state ?? task.state;
    const moved = place === "anew" && state === "waiting";
    this.task = {
      ...task,
      ...fields,
      version: task.version + 1,
      seq: isEnded(state) ? null : moved ? seq(this.#nextSeq++) : task.seq,
      since: isEnded(state) ? null : moved ? this.now : task.since,
    };
  }

  #rerun(): void {
    const { task } = this;
    const input = { dueAt: this.now };
    if (task.state !== "dead" && task.state !== "cancelled") {
      expect(refusalOf(() => decideRerun(task, input, this.now, actor)).code).toBe("wrong_state");
      return;
    }
    this.#change(decideRerun(task, input, this.now, actor));
    this.task = { ...this.task, startedAt: null, node: null };
    this.diary.ends = [];
  }

  #edit(name: "edit" | "replace"): void {
    const { task, now } = this;
    const act = () =>
      name === "edit"
        ? decideEdit(task, { payload: String(now) }, context, now, actor)
        : decideReplace(task, { ...task, payload: String(now), dueAt: now }, now, actor);
    const allowed = task.state === "waiting" && (name === "edit" || task.attempt === 0);
    if (allowed) this.#change(act());
    else expect(refusalOf(act).code).toBe("wrong_state");
  }

  /** Nothing but a rerun, or the edit of a dead task, moves an ended task. */
  #refusesAll(): void {
    const { task, now } = this;
    const acts = [
      () => decideCancel(task, now, actor),
      () => decideReweight(task, (task.weight === 9 ? 3 : 9) as Weight, context, now, actor),
      () => decideReplace(task, { ...task, payload: "0" }, now, actor),
      () => settleLost(task, 3, now),
    ];
    if (task.state === "succeeded") acts.push(() => decideRerun(task, { dueAt: now }, now, actor));
    for (const act of acts) expect(refusalOf(act).code).toBe("wrong_state");
  }

  /** The row against the diary. */
  #agrees(before: TaskRecord): void {
    const { task, diary } = this;
    const using = diary.ends.filter((end) => end === "failed" || end === "timed_out" || end === "lost").length;
    const lost = diary.ends.filter((end) => end === "lost").length;
    // The last failing end of a dead task found no retry to use.
    expect(task.failures).toBe(task.state === "dead" ? using - 1 : using);
    expect(task.failures).toBeLessThanOrEqual(this.retries);
    expect(task.attempt).toBe(diary.starts);
    expect(task.attempt).toBeGreaterThanOrEqual(before.attempt);
    expect(task.losses).toBe(lost);
    expect(task.endReason === "poison").toBe(lost === 3);
    if (lost === 3) expect(task.state).toBe("dead");
    expect(task.noPrefetch).toBe(diary.doubts > 0);
    expect(diary.doubts).toBeLessThanOrEqual(1);
    expect(task.state === "succeeded").toBe(diary.ends.at(-1) === "succeeded");
    if (task.state === "waiting" && before.state === "running") this.#agreesOnPlace(before);
  }

  /** Its place is kept by whoever can't help going back, and given anew to a retry or snooze. */
  #agreesOnPlace(before: TaskRecord): void {
    const { task, diary } = this;
    const last = before.startedAt === null ? "unclaimed" : diary.ends.at(-1);
    const keeps = last === "unclaimed" || last === "released" || last === "gave_way";
    if (keeps) expect([task.seq, task.since]).toEqual([before.seq, before.since]);
    else expect(task.seq === null || task.seq > (before.seq ?? 0)).toBe(true);
  }
}

test("random lives of a task agree with their diary", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), fc.array(step, { maxLength: 60, size: "max" }), (retries, steps) => {
      const life = new Life(retries);
      for (const name of steps) {
        life.take(name);
        const end = life.task.endReason ?? life.task.state;
        seen.set(end, (seen.get(end) ?? 0) + 1);
      }
    }),
    { numRuns: 2_000 },
  );
  // The lives reached every end they can reach, else the test says less than it seems to.
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining([
      "poison",
      "retries_exhausted",
      "not_retryable",
      "succeeded",
      "by_hand",
      "waiting",
      "running",
    ]),
  );
});

test("a task that kills its node dies as poison after three starts, and one that was only prefetched there never", () => {
  const killer = new Life(3);
  for (const name of ["claim direct", "node dies", "claim direct", "node dies", "claim direct", "node dies"] as const)
    killer.take(name);
  expect(killer.task).toMatchObject({ state: "dead", endReason: "poison", attempt: 3, losses: 3, failures: 2 });

  const bystander = new Life(3);
  for (let n = 0; n < 10; n += 1) {
    bystander.take("claim prefetch");
    if (bystander.task.startedAt === null) bystander.take("node dies");
    else bystander.take("release");
  }
  expect(bystander.task).toMatchObject({ state: "waiting", losses: 0, failures: 0, noPrefetch: true });
});
