import type { ChangeActor } from "@giveway/kernel";
import { Checks, MAX_NAME } from "../config/checks.ts";
import { ACTOR_OPTIONS } from "../config/option-names.ts";

export const changeChecks = new Checks("invalid_option");

const MAX_CAUSE = 1_000;

/** Who acts: `by` is `api` unless a face names somebody. */
export function readActor(value: unknown): ChangeActor {
  return value === undefined
    ? { by: "api", cause: null }
    : actorOf(changeChecks.object(value, ACTOR_OPTIONS, "options"));
}

/** The actor among other options that were checked already. */
export function actorOf(given: Readonly<Record<string, unknown>>): ChangeActor {
  const { by, cause } = given;
  return {
    by: by === undefined ? "api" : changeChecks.text(by, "by", MAX_NAME),
    cause: cause === undefined || cause === null ? null : changeChecks.text(cause, "cause", MAX_CAUSE),
  };
}
