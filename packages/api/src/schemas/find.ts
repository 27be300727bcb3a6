import { z } from "zod";
import { dateInput, stateInput, text, weightInput } from "./scalars.ts";

export const MAX_PAGE = 1000;
const MAX_VALUES = 100;
const several = <Value extends z.ZodType>(value: Value) => z.array(value).max(MAX_VALUES);
const oneOrSeveral = <Value extends z.ZodType>(value: Value) => z.union([value, several(value)]);
const wholeNumber = (least: number, most: number) =>
  z
    .int({ error: `expected a whole number from ${least} to ${most}` })
    .min(least)
    .max(most);

const stateText =
  "Stored states (waiting, running, succeeded, dead, cancelled) and views (delayed, retrying, failed, …).";
const textText = "Contained in id, name, payload or last error.";

/** The filter as a JSON value, for bulk actions. */
export const taskFilter = z
  .strictObject({
    state: z.exactOptional(oneOrSeveral(stateInput())).meta({ description: stateText }),
    type: z.exactOptional(oneOrSeveral(text())),
    queue: z.exactOptional(oneOrSeveral(text())),
    weight: z.exactOptional(oneOrSeveral(weightInput)),
    tag: z.exactOptional(oneOrSeveral(text())),
    text: z.exactOptional(text()).meta({ description: textText }),
    createdFrom: z.exactOptional(dateInput),
    createdTo: z.exactOptional(dateInput),
  })
  .meta({ id: "TaskFilter", description: "Filters combine with and, the values of one filter with or." });

export const findQuery = z.strictObject({
  state: z.exactOptional(several(stateInput())).meta({ description: stateText }),
  type: z.exactOptional(several(text())),
  queue: z.exactOptional(several(text())),
  weight: z.exactOptional(several(weightInput)),
  tag: z.exactOptional(several(text())),
  text: z.exactOptional(text()).meta({ description: textText }),
  createdFrom: z.exactOptional(dateInput),
  createdTo: z.exactOptional(dateInput),
  cursor: z.exactOptional(text()).meta({ description: "`nextCursor` of the page before." }),
  limit: z.exactOptional(wholeNumber(1, MAX_PAGE)).meta({ description: "Default 50." }),
});

export const nextQuery = z.strictObject({
  limit: z.exactOptional(wholeNumber(1, MAX_PAGE)).meta({ description: "Default 20." }),
});

export const MAX_RECENT = 1000;
export const eventsQuery = z.strictObject({
  recent: z.exactOptional(wholeNumber(0, MAX_RECENT)).meta({
    description:
      "Begin with so many of the events just past; without it, and without Last-Event-ID, only new ones come.",
  }),
});
