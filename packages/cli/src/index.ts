export { BUILT_IN_TASKS } from "./builtin/index.ts";
export type { Surroundings } from "./context.ts";
export { type ExitCode, run } from "./run.ts";
