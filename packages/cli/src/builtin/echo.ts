import { defineTask } from "giveway";

/** Built-in type for trying out: the result is the payload. */
export const echo = defineTask({
  type: "echo",
  run: (payload: unknown) => payload,
});
