/**
 * The state machine as data (A7, C2). Five stored states; everything finer is a view on them. `docs/internals/life-of-a-task.md` draws
 * the same table, and a test keeps both in step.
 */
export const STORED_STATES = ["waiting", "running", "succeeded", "dead", "cancelled"] as const;
export type StoredState = (typeof STORED_STATES)[number];

/** What filters and faces show. `delayed`, `retrying` refine waiting; `dispatched`, `suspended` refine running; `failed`, `timed_out` tell how the last attempt ended. */
export const VIEW_STATES = [
  "waiting",
  "delayed",
  "retrying",
  "dispatched",
  "running",
  "suspended",
  "succeeded",
  "failed",
  "timed_out",
  "dead",
  "cancelled",
] as const;
export type ViewState = (typeof VIEW_STATES)[number];

export const ENDED_STATES = ["succeeded", "dead", "cancelled"] as const satisfies readonly StoredState[];
export type EndedState = (typeof ENDED_STATES)[number];

/** How an attempt ended. Only `failed`, `timed_out` and `lost` use up a retry. */
export const ATTEMPT_OUTCOMES = [
  "succeeded",
  "failed",
  "timed_out",
  "lost",
  "gave_way",
  "released",
  "snoozed",
  "cancelled",
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export const RETRY_USING_OUTCOMES: ReadonlySet<AttemptOutcome> = new Set(["failed", "timed_out", "lost"]);

/** What may happen to a task. `claim` to `cancelRunning` come from the engine, the rest from people and programs. */
export type TaskEvent =
  | "claim"
  | "start"
  | "unclaim"
  | "succeed"
  | "retry"
  | "bury"
  | "giveWay"
  | "release"
  | "snooze"
  | "cancel"
  | "expire"
  | "shed"
  | "reweight"
  | "edit"
  | "reschedule"
  | "rerun"
  | "replace"
  | "remove";

type Move = StoredState | "removed";

/** Every legal move: from state, by event, to state. An event absent from a state's row is refused with `wrong_state`. */
export const TRANSITIONS: Readonly<Record<StoredState, Readonly<Partial<Record<TaskEvent, Move>>>>> = {
  waiting: {
    claim: "running",
    cancel: "cancelled",
    expire: "cancelled",
    shed: "cancelled",
    bury: "dead",
    reweight: "waiting",
    edit: "waiting",
    reschedule: "waiting",
    replace: "waiting",
    remove: "removed",
  },
  running: {
    start: "running",
    unclaim: "waiting",
    succeed: "succeeded",
    retry: "waiting",
    bury: "dead",
    giveWay: "waiting",
    release: "waiting",
    snooze: "waiting",
    cancel: "cancelled",
    expire: "cancelled",
    reweight: "running",
  },
  succeeded: { remove: "removed" },
  dead: { rerun: "waiting", edit: "dead", remove: "removed" },
  cancelled: { rerun: "waiting", remove: "removed" },
};

/** The state an event leads to, or null where the table does not allow it. */
export function moveOf(state: StoredState, event: TaskEvent): Move | null {
  return TRANSITIONS[state][event] ?? null;
}

export function isEnded(state: StoredState): state is EndedState {
  return state === "succeeded" || state === "dead" || state === "cancelled";
}
