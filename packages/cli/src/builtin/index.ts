import type { AnyTask } from "giveway";
import { echo } from "./echo.ts";
import { sleep } from "./sleep.ts";

/** The types that every server runs without code of its own. */
export const BUILT_IN_TASKS: readonly AnyTask[] = [sleep, echo];
