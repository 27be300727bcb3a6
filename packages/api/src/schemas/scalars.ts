import { NAMED_WEIGHTS, POLICIES, STORED_STATES, VIEW_STATES, type WeightName } from "@giveway/kernel";
import { z } from "zod";

/**
 * The small values that requests and answers are made of. Requests check the shape here; what a duration, a date or an id has to look
 * like in detail is decided by the kernel's parsers, so that library, HTTP and command line refuse the same things with the same words.
 */

/** Text that every ledger can hold: no NUL, no lone surrogate (V-26). */
export const text = () =>
  z.string().check((context) => {
    const { value } = context;
    if (value.isWellFormed() && !value.includes("\0")) return;
    context.issues.push({
      code: "custom",
      input: value,
      message: value.includes("\0") ? "holds a NUL character" : "holds half a surrogate pair",
      params: { code: "unstorable_value" },
    });
  });

const weightNames = Object.keys(NAMED_WEIGHTS) as [WeightName, ...WeightName[]];

const weightWords = { error: `expected a whole number from 1 to 10 or ${weightNames.join(", ")}` };
export const weightInput = z
  .union([z.int(weightWords).min(1, weightWords).max(10, weightWords), z.enum(weightNames, weightWords)], weightWords)
  .meta({
    id: "WeightInput",
    description:
      "1 to 10, more is more urgent, or a name: low 2, normal 5, high 8, critical 10. 7 and up is the express lane.",
    examples: [7, "high"],
  });

export const durationInput = z
  .union([z.number().min(0), text()], { error: "expected milliseconds or text such as 250ms, 5s, 15m, 2h, 1h30m" })
  .meta({
    id: "DurationInput",
    description: "Whole milliseconds, or text: 250ms, 5s, 15m, 2h, 7d, 1w, also joined: 1h30m.",
    examples: ["15m", 900000],
  });

export const dateInput = z
  .union([text(), z.number()], { error: "expected an ISO 8601 instant with zone or milliseconds since 1970" })
  .meta({
    id: "DateInput",
    description: "An ISO 8601 instant with zone, or milliseconds since 1970.",
    examples: ["2030-01-31T09:00:00Z"],
  });

export const anyJson = () => z.unknown().meta({ description: "Any JSON value." });

export const instant = () => z.iso.datetime();

export const weight = () => z.int().min(1).max(10);
export const lane = () => z.enum(["express", "standard"]);
export const policy = () => z.enum(POLICIES);
export const storedState = () => z.enum(STORED_STATES);
export const viewState = () => z.enum(VIEW_STATES);

const everyState = [...new Set([...STORED_STATES, ...VIEW_STATES])] as const;
export const stateInput = () => z.enum(everyState, { error: `expected one of ${everyState.join(", ")}` });

/** Every list: a page of items and, where there are more, what to ask for next. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().meta({ description: "Send it as `cursor` for the next page; null on the last." }),
  });
