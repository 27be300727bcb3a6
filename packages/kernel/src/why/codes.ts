/** Every reason code with its meaning. `docs/reference/why.md` lists them all, and a test keeps both in step. */
export const WHY_CODES = {
  // It waits, because:
  due_time: "Its due time lies ahead.",
  retry_wait: "Its last attempt failed, and the next one is due later.",
  snooze_wait: "Its handler put itself off.",
  no_node_alive: "No node is alive that could start anything.",
  no_node_knows_type: "Nodes are alive, but none has a handler for its type.",
  elsewhere: "Only other nodes can start it; their slots are known to them alone.",
  paused_queue: "Its queue is paused.",
  paused_type: "Its type is paused.",
  type_stopped: "Handlers that never ended fill the type's slots on this node; it starts none any more.",
  type_bound: "As many tasks of its type run as may run at a time.",
  slots: "All slots it may use are taken.",
  share: "Express holds its share of the slots, and standard work waits for the rest.",
  express_first: "Express tasks wait, and take the slots of their share first.",
  ahead: "Other tasks of its lane start before it.",
  due: "Its due time has come, and no claim has moved it to the ready ones yet.",
  next: "Nothing blocks it: it starts with the next claim.",
  // How it stands in the order:
  aging: "What its waiting has added to its weight, and what can still overtake it.",
  flattened: "It stands at the ceiling: from there on the order is that of becoming ready.",
  place: "Since when its place counts, where that is not its submit.",
  expires: "It is cancelled unless it starts in time.",
  // It runs:
  running: "Where and since when its handler runs.",
  dispatched: "A node has claimed it; its start is not recorded.",
  lease_held: "Its node's lease is in force.",
  lease_expired: "Its node has not renewed its lease; another one takes the task over.",
  node_dead: "Its node is dead; its tasks are being taken over.",
  node_unknown: "The ledger does not know its node.",
  time_out: "When its attempt runs out of time.",
  settling: "It is cancelled, but its handler has not ended yet.",
  zombie: "An earlier attempt's handler goes on after its time-out; its answer no longer counts.",
  // It ended:
  ended_succeeded: "Its handler returned.",
  ended_not_retryable: "Its last error can't be cured by a repeat.",
  ended_retries_exhausted: "All its retries are used up.",
  ended_invalid_payload: "Its payload does not fit its type.",
  ended_poison: "Three nodes died while they ran it.",
  ended_by_hand: "Somebody cancelled it.",
  ended_expired: "It was not started in time.",
  ended_shed: "It was shed, because its lane was full.",
  ended_replaced: "A later submit took its place.",
  // What happened to it:
  attempt_succeeded: "An attempt that succeeded.",
  attempt_failed: "An attempt that failed.",
  attempt_timed_out: "An attempt that ran out of time.",
  attempt_lost: "An attempt whose node died.",
  attempt_gave_way: "An attempt that gave way to heavier work.",
  attempt_released: "An attempt that its node handed back when it stopped.",
  attempt_snoozed: "An attempt that put itself off.",
  attempt_cancelled: "An attempt that was cancelled.",
  late_answer: "An answer came after the task had been given to another attempt or ended, and was refused.",
  ran_twice: "Its handler may have run more than once in effect.",
  changed: "Somebody changed it.",
} as const satisfies Record<string, string>;

export type WhyCode = keyof typeof WHY_CODES;

/** One reason: a stable code for programs and a plain English sentence with its numbers for people. */
export interface WhyReason {
  readonly code: WhyCode;
  readonly text: string;
}
