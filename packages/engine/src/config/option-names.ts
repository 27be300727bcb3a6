/**
 * The names of all options, in one place: the validators refuse what is not here, and a test holds `docs/reference/options.md` to it.
 */
export const ENGINE_OPTIONS = [
  "store",
  "clock",
  "random",
  "logger",
  "tasks",
  "queues",
  "label",
  "release",
  "stopTimeout",
  "retention",
  "maxPayload",
  "logFigures",
  "allowUnknownTypes",
] as const;

export const RETENTION_OPTIONS = ["keep", "remember"] as const;

export const TASK_OPTIONS = [
  "type",
  "queue",
  "weight",
  "timeout",
  "concurrency",
  "retry",
  "id",
  "validate",
  "run",
] as const;

export const RETRY_OPTIONS = ["delays", "exponential", "next", "retryable"] as const;

export const QUEUE_OPTIONS = ["slots", "burst", "burstFor", "share", "policy", "steps"] as const;

export const STEP_OPTIONS = ["standard", "express"] as const;

export const SUBMIT_OPTIONS = [
  "id",
  "name",
  "weight",
  "delay",
  "runAt",
  "deadline",
  "expires",
  "queue",
  "retry",
  "timeout",
  "requestId",
  "onDuplicate",
  "tags",
] as const;

export const ACTOR_OPTIONS = ["by", "cause"] as const;
export const EDIT_OPTIONS = ["payload", "weight", "runAt", "delay", "name"] as const;
export const RERUN_OPTIONS = ["payload", "delay", ...ACTOR_OPTIONS] as const;
export const REDRIVE_OPTIONS = ["payload", "rate", "dryRun", "limit", ...ACTOR_OPTIONS] as const;
export const QUEUE_PATCH_OPTIONS = ["paused", "slots", "burst", "share", "steps", ...ACTOR_OPTIONS] as const;

export const FILTER_OPTIONS = ["state", "type", "queue", "weight", "tag", "text", "createdFrom", "createdTo"] as const;
export const FIND_OPTIONS = [...FILTER_OPTIONS, "cursor", "limit"] as const;
export const REDRIVE_FILTER_OPTIONS = [...FILTER_OPTIONS, "ids"] as const;
