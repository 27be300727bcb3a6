import { nodeId, queueName, taskId, typeName } from "@giveway/kernel";
import { expect } from "vitest";
import { newTask, openTypes, registration } from "./support/builders.ts";
import type { Harness } from "./support/harness.ts";

/** Texts that go wrong where a ledger compares, cuts, folds or quotes. */
const ODD = {
  emoji: "🚚👩‍👩‍👧 flag 🇩🇪",
  "right to left": "שלום עולם \u202eabc\u202c",
  "line separators": "a\u2028b\u2029c",
  quotes: `it's "quoted" \`ticked\` \\ \\\\ \\'`,
  "SQL and patterns": "'; drop table task; -- %_[]*? $1 :a @b ?1",
  "JSON in text": '{"a":"\\u0000"}',
  "combining marks": "e\u0301 and \u00e9",
  controls: "tab\tnew line\nreturn\rbell\u0007",
  "beyond the plane": "\u{10ffff}\u{1f600}\u{20000}",
  "blank ends": "  two before, one after ",
  "not a number": "0012",
  "like a number": "1e3",
};

export function oddTextSuite({ test }: Harness): void {
  for (const [title, text] of Object.entries(ODD)) {
    test(`${title} come back as they were, everywhere a text is kept`, async (s) => {
      const payload = JSON.stringify({ text, nested: [text, { [text]: text }] });
      const node = nodeId(`node ${text}`);
      const type = typeName(text);
      await s.store.register(registration(node, s.now, { label: text, release: text, types: [type] }));
      const given = newTask(text, {
        type,
        queue: queueName(text),
        name: text,
        payload,
        overrides: { tags: [text] },
        requestId: text,
      });
      await s.insert(given);
      const { handOff: _handOff, dueAt, ...fields } = given;
      expect(await s.get(text)).toMatchObject(fields);
      const { tasks } = await s.claim({ node, queue: given.queue, types: openTypes(text) });
      const { rerunOf: _rerunOf, ...claimed } = fields;
      expect(tasks).toMatchObject([claimed]);
      const [task] = tasks;
      if (task === undefined) throw new Error("nothing was claimed");
      await s.store.saveProgress([{ key: task.key, fence: task.fence, progress: payload }]);
      const error = { name: text, message: text, code: text, stack: text, causes: [{ name: text, message: text }] };
      const settlement = {
        event: "bury",
        state: "dead",
        outcome: "failed",
        attempt: 1,
        failures: 0,
        losses: 0,
        noPrefetch: false,
        dueAt,
        place: "keep",
        startedAt: s.now,
        endedAt: s.now,
        error,
        endReason: "not_retryable",
        result: payload,
        checkpoint: payload,
        log: [{ at: s.now, level: "error", text }],
      } as const;
      await s.settle(task, settlement);
      expect(await s.get(text)).toMatchObject({
        lastError: error,
        result: payload,
        checkpoint: payload,
        progress: payload,
        node,
        log: settlement.log,
      });
      const record = { at: s.now, by: text, kind: "edited", before: payload, after: payload, cause: text } as const;
      await s.change(text, () => ({ patch: { name: `${text}!` }, record }));
      expect((await s.store.history(taskId(text)))?.changes).toEqual([record]);
      for (const query of [{ text }, { tags: [text] }, { types: [type] }, { queues: [given.queue] }]) {
        expect((await s.store.find({ limit: 9, now: s.now, ...query })).tasks.map(({ id }) => id)).toEqual([text]);
      }
      const setting = { scope: "queue", name: text, key: text, value: payload, by: text, at: s.now } as const;
      await s.store.override(setting);
      expect(await s.store.overrides()).toEqual([setting]);
    });
  }

  test("ids that differ in letter case, blanks or composition are different", async (s) => {
    const ids = [
      "task",
      "Task",
      "TASK",
      "task ",
      " task",
      "tâsk",
      "ta\u0302sk",
      "ＴＡＳＫ",
      "task\u00a0",
      "1",
      "01",
      "1.0",
      "ß",
      "ss",
    ];
    const outcomes = await s.insert(...ids.map((id) => newTask(id, { payload: JSON.stringify(id) })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(ids.map(() => "created"));
    for (const id of ids) expect(await s.get(id)).toMatchObject({ id, payload: JSON.stringify(id) });
    expect(await s.claimIds()).toEqual(ids);
  });

  test("so are types and queues", async (s) => {
    const names = ["work", "Work", "work ", "wörk"];
    await s.insert(...names.map((name) => newTask(`t ${name}`, { type: typeName(name) })));
    await s.insert(...names.map((name) => newTask(`q ${name}`, { queue: queueName(name) })));
    expect(await s.claimIds()).toEqual(["t work"]);
    expect(await s.claimIds({ queue: queueName("Work") })).toEqual(["q Work"]);
    expect((await s.store.find({ limit: 9, now: s.now, types: [typeName("work ")] })).tasks).toHaveLength(1);
  });

  test("ids of 255 characters that differ in the last one only", async (s) => {
    const stem = "🚚".repeat(127);
    const ids = [`${stem}a`, `${stem}b`, "x".repeat(255), `${"x".repeat(254)}y`];
    expect(ids.map(({ length }) => length)).toEqual([255, 255, 255, 255]);
    await s.insert(...ids.map((id) => newTask(id)));
    expect(await s.claimIds()).toEqual(ids);
    expect((await s.store.find({ limit: 9, now: s.now, text: ids[1] as string })).tasks).toHaveLength(1);
  });

  test("a payload of 256 KiB in several bytes a character", async (s) => {
    const payload = JSON.stringify("ü".repeat(131_000));
    await s.insert(newTask("big", { payload }));
    expect((await s.get("big")).payload).toBe(payload);
    expect((await s.claimOne()).payload).toBe(payload);
  });

  test("numbers beyond 32 bits, and as precise as they come", async (s) => {
    const payload = JSON.stringify([Number.MAX_SAFE_INTEGER, -(2 ** 40), 1e300, 5e-324, 0.1 + 0.2]);
    const dueAt = 8_640_000_000_000_000;
    await s.insert(newTask("n", { payload, dueAt, overrides: { deadline: dueAt, timeout: 2 ** 40 } }));
    expect(await s.get("n")).toMatchObject({ payload, dueAt, overrides: { deadline: dueAt, timeout: 2 ** 40 } });
    expect(await s.store.nextDue()).toEqual([{ queue: "main", dueAt }]);
  });
}
