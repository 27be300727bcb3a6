import { AsyncLocalStorage } from "node:async_hooks";

/**
 * # Rejections that nobody handles (A11)
 *
 * A handler may leave a promise behind that rejects later, when nobody listens: by Node's default that ends the process, and with it every
 * other task's run. Each handler therefore runs in an asynchronous context of its own; a rejection that nobody handles is traced to it by
 * that context, reported and left at that. Rejections of the host program's own are none of our business: they take the course that Node
 * gives them without us.
 */
export interface StrayOwner {
  strayRejection(reason: unknown): void;
}

const owners = new AsyncLocalStorage<StrayOwner>();
let guards = 0;

/** Calls a handler so that what it leaves behind is traced to `owner`. */
export function ownedBy<Result>(owner: StrayOwner, call: () => Result): Result {
  return owners.run(owner, call);
}

/** Calls the engine's own work on behalf of a handler: what that leaves behind is not the handler's. */
export function ownedByNobody<Result>(call: () => Result): Result {
  return owners.exit(call);
}

/** Guards the process until the answered function is called. Any number of engines share one listener. */
export function guardStrayRejections(): () => void {
  if (guards === 0) process.on("unhandledRejection", onUnhandled);
  guards += 1;
  let released = false;
  return () => {
    if (released) return;
    released = true;
    guards -= 1;
    if (guards === 0) process.off("unhandledRejection", onUnhandled);
  };
}

function onUnhandled(reason: unknown): void {
  const owner = owners.getStore();
  if (owner !== undefined) {
    owner.strayRejection(reason);
    return;
  }
  // Our listener alone must not silence what would have ended the process: thrown from here it is an uncaught exception, as by default.
  if (process.listenerCount("unhandledRejection") > 1 || toleratedByFlag()) return;
  throw reason instanceof Error ? reason : new Error(`unhandled rejection: ${String(reason)}`, { cause: reason });
}

/** The host was started with a mode in which Node itself doesn't throw. */
function toleratedByFlag(): boolean {
  const flags = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" ");
  return /--unhandled-rejections=(none|warn|warn-with-error-code)/.test(flags);
}
