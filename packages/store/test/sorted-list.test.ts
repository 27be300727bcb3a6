import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedList } from "../src/memory/sorted-list.ts";

const list = (): SortedList<number> => new SortedList((a, b) => a - b);

describe("a sorted list", () => {
  it("equals a sorted array after any additions and removals", () => {
    const step = fc.record({ add: fc.boolean(), value: fc.nat({ max: 400 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const own = list();
        let model: number[] = [];
        for (const { add, value } of steps) {
          if (model.includes(value) === add) continue;
          if (add) own.add(value);
          else own.remove(value);
          model = add ? [...model, value].sort((a, b) => a - b) : model.filter((other) => other !== value);
          expect([...own]).toEqual(model);
          expect([own.length, own.first(), own.at(-1)]).toEqual([model.length, model[0], undefined]);
        }
        expect(model.map((_, index) => own.at(index))).toEqual(model);
      }),
    );
  });

  it("stays right while thousands leave from its head and come at its end", () => {
    const own = list();
    let [first, next] = [0, 0];
    for (let round = 0; round < 40; round += 1) {
      for (let n = 0; n < 300; n += 1) own.add(next++);
      for (let n = 0; n < 260; n += 1) own.remove(first++);
      own.remove(first + 3);
      own.add(first + 3);
      expect(own.length).toBe(next - first);
      expect([own.first(), own.at(7), own.at(own.length - 1), own.at(own.length)]).toEqual([
        first,
        first + 7,
        next - 1,
        undefined,
      ]);
    }
    while (first < next) own.remove(first++);
    expect(own.length).toBe(0);
    own.add(5);
    expect([...own]).toEqual([5]);
  });

  it("says so where it does not hold what is to leave", () => {
    const own = list();
    own.add(2);
    expect(() => own.remove(1)).toThrow("does not hold");
    expect(() => own.remove(3)).toThrow("does not hold");
  });
});
